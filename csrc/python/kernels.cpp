// Libraries of kernels in Python: opened, listed, called with ndarrays.
#include "kernels.h"

#include <dlfcn.h>
#include <pybind11/stl.h>

#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "minigrad/abi.h"
#include "views.h"

namespace py = pybind11;

namespace minigrad {
namespace {

// An open library. It is closed when the last kernel of it is gone.
struct Library {
    explicit Library(const std::string& path)
        : handle(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL), dlclose_if) {
        if (!handle) throw std::runtime_error(std::string("cannot open a library: ") + dlerror());
        const auto list = reinterpret_cast<Listing (*)()>(dlsym(handle.get(), "minigrad_kernels"));
        if (list == nullptr) throw std::runtime_error(path + " is no library of kernels.");
        listing = list();
        if (listing.abi != abi_version) {
            throw std::runtime_error(path + " was built for another version of minigrad.");
        }
    }

    static void dlclose_if(void* handle) {
        if (handle != nullptr) dlclose(handle);
    }

    std::unique_ptr<void, void (*)(void*)> handle;
    Listing listing{};
};

enum class Kind : char { view, out, views, outs, number, integer };

// What `signature` says, a letter for each argument: v a view, o what is written, V and O lists of
// these, d a double, i an integer.
std::vector<Kind> kinds_of(const std::string& signature) {
    std::vector<Kind> kinds;
    for (const char letter : signature) {
        switch (letter) {
            case 'v':
                kinds.push_back(Kind::view);
                break;
            case 'o':
                kinds.push_back(Kind::out);
                break;
            case 'V':
                kinds.push_back(Kind::views);
                break;
            case 'O':
                kinds.push_back(Kind::outs);
                break;
            case 'd':
                kinds.push_back(Kind::number);
                break;
            default:
                kinds.push_back(Kind::integer);
        }
    }
    return kinds;
}

[[noreturn]] void raise_not_implemented(const std::string& words) {
    PyErr_SetString(PyExc_NotImplementedError, words.c_str());
    throw py::error_already_set();
}

// A kernel with its arguments, ready to run: what the door costs is paid once.
struct Call {
    std::string name;
    const Entry* entry;
    std::shared_ptr<Library> library;
    std::vector<View> views;
    std::vector<Views> lists;
    std::vector<bool> written;  // for each view
    std::vector<Argument> arguments;
    py::tuple kept;  // the arrays must live as long as the views

    void run() const {
        char words[256];
        const int ending = entry->run(entry->kernel, arguments.data(), words, sizeof words);
        if (ending == ran) return;
        const std::string said =
            ending == still_open ? std::string("exercise ") + words : name + ": " + words;
        if (ending == still_open) raise_not_implemented(said);
        if (ending == bad_input) throw py::value_error(said);
        if (ending == no_memory) throw std::bad_alloc();
        throw std::runtime_error(said);
    }
};

struct Kernel {
    std::string name;
    const Entry* entry;
    std::shared_ptr<Library> library;
    std::vector<Kind> kinds;

    Call bind(const py::args& given) const {
        if (given.size() != kinds.size()) {
            throw py::type_error(name + ": takes " + std::to_string(kinds.size()) +
                                 " arguments, got " + std::to_string(given.size()) + ".");
        }
        Call call{name, entry, library, {}, {}, {}, std::vector<Argument>(kinds.size()), given};
        std::size_t count = 0;
        for (std::size_t i = 0; i < kinds.size(); ++i)
            count += is_list(kinds[i]) ? listed(given[i]) : 1;
        call.views.reserve(count);  // arguments point into these
        call.lists.reserve(kinds.size());
        for (std::size_t i = 0; i < kinds.size(); ++i) take(call, i, given[i]);
        check(call);
        return call;
    }

    static bool is_list(Kind kind) { return kind == Kind::views || kind == Kind::outs; }

    std::size_t listed(py::handle given) const {
        if (py::isinstance<py::list>(given) || py::isinstance<py::tuple>(given))
            return py::len(given);
        throw py::type_error(name + ": expected a list of ndarrays, got " +
                             std::string(py::str(py::type::handle_of(given).attr("__name__"))) +
                             ".");
    }

    void take(Call& call, std::size_t i, py::handle given) const {
        if (kinds[i] == Kind::number) {
            call.arguments[i].number = given.is_none() ? NAN : given.cast<double>();
        } else if (kinds[i] == Kind::integer) {
            call.arguments[i].integer = given.cast<std::int64_t>();
        } else if (is_list(kinds[i])) {
            const std::size_t first = call.views.size();
            for (py::handle each : given) take_view(call, each, kinds[i] == Kind::outs);
            const auto count = static_cast<std::int64_t>(call.views.size() - first);
            call.lists.push_back({call.views.data() + first, count});
            call.arguments[i].views = &call.lists.back();
        } else {
            take_view(call, given, kinds[i] == Kind::out);
            call.arguments[i].view = &call.views.back();
        }
    }

    void take_view(Call& call, py::handle given, bool written) const {
        call.views.push_back(view_of(given, name.c_str()));
        call.written.push_back(written);
        if (written && !py::reinterpret_borrow<py::array>(given).writeable()) {
            throw py::value_error(name + ": what it writes is read-only.");
        }
    }

    void check(const Call& call) const {
        if (call.views.empty()) return;  // empty lists
        if (((entry->types >> static_cast<int>(call.views[0].dtype)) & 1u) == 0) {
            throw py::type_error(name + ": this kernel does not take numbers of this dtype.");
        }
        if (overlap(call.views, call.written)) {
            throw py::value_error(name + ": what it writes shares memory with what it reads.");
        }
    }
};

}  // namespace

void bind_kernels(py::module_& m) {
    py::class_<Call>(m, "Call", "A kernel with its arguments: call it to run it again.")
        .def("__call__", &Call::run);
    py::class_<Kernel>(m, "Kernel", "A kernel of a library: called with ndarrays, then numbers.")
        .def_readonly("op", &Kernel::name)
        .def_property_readonly("backend", [](const Kernel& k) { return k.entry->backend; })
        .def_property_readonly("step", [](const Kernel& k) { return k.entry->step; })
        .def_property_readonly("types", [](const Kernel& k) { return k.entry->types; })
        .def("bind", &Kernel::bind)
        .def("__call__", [](const Kernel& k, const py::args& given) { k.bind(given).run(); });
    m.def(
        "open_library",
        [](const std::string& path, const std::map<std::string, std::string>& signatures) {
            const auto library = std::make_shared<Library>(path);
            std::vector<Kernel> kernels;
            for (std::size_t i = 0; i < library->listing.count; ++i) {
                const Entry& entry = library->listing.entries[i];
                const auto found = signatures.find(entry.op);
                if (found == signatures.end()) {
                    throw std::runtime_error(path + ": no op is called " + entry.op + ".");
                }
                kernels.push_back({entry.op, &entry, library, kinds_of(found->second)});
            }
            return kernels;
        },
        py::arg("path"), py::arg("signatures"), "The kernels of a library.");
}

}  // namespace minigrad
