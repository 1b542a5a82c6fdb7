// optim step 1: a step of SGD or Adam for all parameters in one call, and for each number in one
// pass. before: a dozen ops for each parameter · next: nothing yet
#include <cmath>

#include "minigrad/kernel.h"
#include "minigrad/loops.h"

namespace {
using namespace minigrad;
using std::int64_t;

// f(place in each view) for every element of views of one shape. Each goes on by its own step;
// where all of these are 1, the compiler does several elements at a time.
template <class F, class... V>
void each_row_of(F f, const View& first, const V&... others) {
    const auto walk = rows(first, others...);
    for_each_row(walk, [&](const auto& at) { f(at, walk.steps, walk.count); });
}

// p -= lr (g + decay p)
void sgd(Views g, Outs p, double lr, double weight_decay) {
    require(g.count == p.count, "lists of different lengths");
    for (int64_t i = 0; i < p.count; ++i) {
        with_type<floats>(p[i].dtype, [&](auto zero) {
            using T = decltype(zero);
            const T rate = static_cast<T>(lr), decay = static_cast<T>(weight_decay);
            const auto run = [&](const auto& at, const auto& steps, int64_t count) {
                T* __restrict to = p[i].as<T>() + at[0];
                const T* from = g[i].as<const T>() + at[1];
                const auto [sp, sg] = steps;
                for (int64_t k = 0; k < count; ++k)
                    to[k * sp] -= rate * (from[k * sg] + decay * to[k * sp]);
            };
            each_row_of(run, p[i], g[i]);
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
            const auto run = [&](const auto& at, const auto& steps, int64_t count) {
                T* __restrict to = p[i].as<T>() + at[0];
                T* __restrict v = velocity[i].as<T>() + at[1];
                const T* from = g[i].as<const T>() + at[2];
                const auto [sp, sv, sg] = steps;
                for (int64_t k = 0; k < count; ++k) {
                    const T d = from[k * sg] + decay * to[k * sp];
                    const T moved = keep * v[k * sv] + take * d;
                    v[k * sv] = moved;
                    to[k * sp] -= rate * (own * d + ahead * moved);
                }
            };
            each_row_of(run, p[i], velocity[i], g[i]);
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
            const auto run = [&](const auto& at, const auto& steps, int64_t count) {
                T* __restrict to = p[i].as<T>() + at[0];
                T* __restrict m = mean[i].as<T>() + at[1];
                T* __restrict v = square[i].as<T>() + at[2];
                const T* from = g[i].as<const T>() + at[3];
                const auto [sp, sm, sv, sg] = steps;
                for (int64_t k = 0; k < count; ++k) {
                    const T d = from[k * sg] + into_g * to[k * sp];
                    const T m1 = b1 * m[k * sm] + c1 * d, v1 = b2 * v[k * sv] + c2 * d * d;
                    m[k * sm] = m1, v[k * sv] = v1;
                    to[k * sp] = kept * to[k * sp] - rate * m1 / (std::sqrt(v1) * grow + tiny);
                }
            };
            each_row_of(run, p[i], mean[i], square[i], g[i]);
        });
    }
}

const Register<op::sgd> of_sgd("cpp", 1, floats, sgd);
const Register<op::sgd_momentum> of_momentum("cpp", 1, floats, sgd_momentum);
const Register<op::adam> of_adam("cpp", 1, floats, adam);

}  // namespace
