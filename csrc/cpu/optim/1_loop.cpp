// optim step 1: a step of SGD or Adam for all parameters in one call, and for each number in one
// pass. before: a dozen ops for each parameter · next: nothing yet
#include <cmath>
#include <utility>

#include "minigrad/kernel.h"
#include "minigrad/loops.h"

namespace {
using namespace minigrad;
using std::int64_t;

// f on every element: of a row of the gradient, and of the rows that it changes. __restrict
// promises that those are no row of another; so the compiler does several elements at a time.
template <class T, class F, class... P>
void along(int64_t count, F f, const T* __restrict g, P* __restrict... changed) {
    for (int64_t k = 0; k < count; ++k) f(g[k], changed[k]...);
}

// The same for all elements of views of one shape.
template <class T, class F, std::size_t... I, class... V>
void each_element(F f, std::index_sequence<I...>, const View& g, const V&... changed) {
    const auto walk = rows(g, changed...);
    const bool plain = walk.steps[0] == 1 && ((walk.steps[I + 1] == 1) && ...);
    for_each_row(walk, [&](const auto& at) {
        if (plain) {
            along<T>(walk.count, f, g.as<const T>() + at[0],
                     (changed.template as<T>() + at[I + 1])...);
        } else {
            for (int64_t k = 0; k < walk.count; ++k)
                f(g.as<const T>()[at[0] + k * walk.steps[0]],
                  changed.template as<T>()[at[I + 1] + k * walk.steps[I + 1]]...);
        }
    });
}
template <class T, class F, class... V>
void each_element(F f, const View& g, const V&... changed) {
    each_element<T>(f, std::index_sequence_for<V...>(), g, changed...);
}

// p -= lr (g + decay p)
void sgd(Views g, Outs p, double lr, double weight_decay) {
    require(g.count == p.count, "lists of different lengths");
    for (int64_t i = 0; i < p.count; ++i) {
        with_type<floats>(p[i].dtype, [&](auto zero) {
            using T = decltype(zero);
            const T rate = static_cast<T>(lr), decay = static_cast<T>(weight_decay);
            each_element<T>([=](T d, T& to) { to -= rate * (d + decay * to); }, g[i], p[i]);
        });
    }
}

// v = momentum v + (1 - dampening) d with d = g + decay p; p -= lr v, or lr (d + momentum v) if it
// looks ahead (nesterov).
void sgd_momentum(Views g, Outs p, Outs velocity, double lr, double weight_decay, double momentum,
                  double dampening, int64_t nesterov) {
    require(g.count == p.count && velocity.count == p.count, "lists of different lengths");
    for (int64_t i = 0; i < p.count; ++i) {
        with_type<floats>(p[i].dtype, [&](auto zero) {
            using T = decltype(zero);
            const T rate = static_cast<T>(lr), decay = static_cast<T>(weight_decay);
            const T keep = static_cast<T>(momentum), take = static_cast<T>(1.0 - dampening);
            const T ahead = nesterov != 0 ? keep : T(1), own = nesterov != 0 ? T(1) : T(0);
            const auto move = [=](T slope, T& to, T& v) {
                const T d = slope + decay * to;
                v = keep * v + take * d;
                to -= rate * (own * d + ahead * v);
            };
            each_element<T>(move, g[i], p[i], velocity[i]);
        });
    }
}

// m and v, the running means of the gradients and of their squares, take up gradient number `step`;
// p -= lr m' / (sqrt(v') + eps), with m' and v' freed of their start at zero. Decay is part of the
// gradient, or (decoupled, AdamW) taken off p by itself.
void adam(Views g, Outs p, Outs mean, Outs square, double lr, double beta1, double beta2,
          double eps, double weight_decay, int64_t decoupled, int64_t step) {
    require(g.count == p.count && mean.count == p.count && square.count == p.count,
            "lists of different lengths");
    const double start1 = 1.0 - std::pow(beta1, static_cast<double>(step));
    const double start2 = 1.0 - std::pow(beta2, static_cast<double>(step));
    for (int64_t i = 0; i < p.count; ++i) {
        with_type<floats>(p[i].dtype, [&](auto zero) {
            using T = decltype(zero);
            const T b1 = static_cast<T>(beta1), c1 = static_cast<T>(1.0 - beta1);
            const T b2 = static_cast<T>(beta2), c2 = static_cast<T>(1.0 - beta2);
            const T rate = static_cast<T>(lr / start1), tiny = static_cast<T>(eps);
            const T grow = static_cast<T>(1.0 / std::sqrt(start2));
            const T into_g = static_cast<T>(decoupled != 0 ? 0.0 : weight_decay);
            const T kept = static_cast<T>(decoupled != 0 ? 1.0 - lr * weight_decay : 1.0);
            const auto move = [=](T slope, T& to, T& m, T& v) {
                const T d = slope + into_g * to;
                m = b1 * m + c1 * d;
                v = b2 * v + c2 * d * d;
                to = kept * to - rate * m / (std::sqrt(v) * grow + tiny);
            };
            each_element<T>(move, g[i], p[i], mean[i], square[i]);
        });
    }
}

const Register<op::sgd> of_sgd("cpp", 1, floats, sgd);
const Register<op::sgd_momentum> of_momentum("cpp", 1, floats, sgd_momentum);
const Register<op::adam> of_adam("cpp", 1, floats, adam);

}  // namespace
