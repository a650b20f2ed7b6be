#pragma once

#include <memory>
#include <span>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/sensitivity/start/equation_program.hpp"

namespace liegrad::sensitivity {

/// How a run began.
struct StartMade {
  const dae::State& consistent;     ///< after projection, before the method's starting values
  const dae::InitialValues& given;  ///< before it
  std::span<const double> controls;
  double h;
};

/// The derivative of the state from which the first step starts: of consistent v̇, λ and s, equations (19) of
/// [ArnoldCardonaBruels2015], and of the starting values a_0 and v_0 of Tables 1 and 2.
///
/// Its start is a perturbation (δ, v) of the initial values of the system, which a perturbation of the
/// parameters adds to by the initial function; both are carried back to the constraints by the projection
/// of Consistency, along M⁻¹Bᵀ. Where that moved the values themselves, each of its iterations is differentiated. Of the rest it reads parameters, controls and time at the start, and h.
class StartDerivative {
 public:
  StartDerivative(const dae::Model& model, const dae::IntegrateOptions& options, dae::Runs runs,
                  Order order);

  void set_parameters(std::span<const double> parameters) { program_.set_parameters(parameters); }
  /// Whether initial values follow the parameters by the initial function of the model; the same in all calls of at().
  void set_follows_parameters(bool follows) { follows_parameters_ = follows; }
  /// Goes to a start. A second call allocates nothing.
  Derivative& at(const StartMade& start);

 private:
  void follow_parameters(std::span<const double> q, MotionBlocks& at);

  dae::Method method_;
  dae::AlphaOptions alpha_;
  bool follows_parameters_, projects_;
  dae::Runs runs_;
  EquationProgram program_;
  std::shared_ptr<KernelSum>
      initial_function_;  ///< parameters → (log(q_0⁻¹∘q(p)), v(p)), with q_0 as data
};

}  // namespace liegrad::sensitivity
