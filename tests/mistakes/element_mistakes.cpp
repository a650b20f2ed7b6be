// Elements that must not compile, each for the reason that stands before it: `check` compiles this file and looks
// for these sentences in what the compiler says. Mistakes that are found later are in
// tests/dae/system/element_mistakes_test.cpp.

#include "liegrad/dae/system/element.hpp"
#include "liegrad/dae/system/system.hpp"

using namespace liegrad;

struct Mistake {
  dae::ElementShape shape() const { return {.type = "mistake"}; }
};
/// So that it has all that it needs besides the mistake.
struct Moved : Mistake {
  template <class S>
  void residual(const dae::Motion<S>&, dae::Balance<S>&) const {}
};

// expect: an element has a member 'residual' that cannot be used; it must be public: template <class S> void residual(const dae::Motion<S>&, dae::Balance<S>&) const
struct ResidualIsNotConst : Mistake {
  template <class S>
  void residual(const dae::Motion<S>&, dae::Balance<S>&) {}
};
// expect: an element has a member 'constraint' that cannot be used; it must be public and return a range: template <class S> lie::Vec<S, n> constraint(const dae::Position<S>&) const
struct ConstraintReturnsAScalar : Mistake {
  template <class S>
  S constraint(const dae::Position<S>& at) const {
    return at.time();
  }
};
// expect: an element has a member 'algebraic' that cannot be used; it must be public and return a range: template <class S> lie::Vec<S, n> algebraic(const dae::Motion<S>&) const
struct AlgebraicReturnsAScalar : Mistake {
  template <class S>
  S algebraic(const dae::Motion<S>& at) const {
    return at.time();
  }
};
// expect: an element has a member 'kinetic_energy' that cannot be used; it must be public: template <class S> S kinetic_energy(const dae::Motion<S>&) const
class EnergyIsPrivate : public Moved {
  template <class S>
  S kinetic_energy(const dae::Motion<S>& at) const {
    return at.time();
  }
};
// expect: an element has a member 'potential_energy' that cannot be used; it must be public: template <class S> S potential_energy(const dae::Motion<S>&) const
struct EnergyIsData : Moved {
  double potential_energy = 0;
  bool operator==(const EnergyIsData&) const { return true; }
};
// expect: an element has a member 'momentum' that cannot be used; it must be public: template <class S> dae::Momentum<S> momentum(const dae::Motion<S>&) const
struct MomentumReturnsAScalar : Moved {
  template <class S>
  S momentum(const dae::Motion<S>& at) const {
    return at.time();
  }
};
// expect: an element has a member 'outputs' that cannot be used; it must be public and return a range: template <class S> lie::Vec<S, n> outputs(const dae::Motion<S>&) const
struct OutputsAreForNumbers : Mistake {
  lie::Vec<double, 1> outputs(const dae::Motion<double>& at) const {
    return lie::Vec<double, 1>(at.time());
  }
};
// expect: an element has a member 'validation_message' that cannot be used; it must be public: std::string validation_message(const dae::Position<double>&) const
struct ValidationMessageReadsMotion : Moved {
  std::string validation_message(const dae::Motion<double>&) const { return ""; }
};
// expect: an element has a member 'drawing' that cannot be used; it must be public: dae::Drawing drawing(const dae::Position<double>&) const
struct DrawingReadsMotion : Moved {
  dae::Drawing drawing(const dae::Motion<double>&) const { return {}; }
};
// expect: an element has none of the functions residual(), constraint(), algebraic() and outputs(), so that it does nothing; is a name misspelt?
struct NameIsMisspelt : Mistake {
  template <class S>
  void residul(const dae::Motion<S>&, dae::Balance<S>&) const {}
};
// expect: an element has an energy or a momentum but no function residual(), from which its forces come; is the name misspelt? An empty residual() says that it has none
struct EnergyWithoutForces : Mistake {
  template <class S>
  S potential_energy(const dae::Motion<S>& at) const {
    return at.time();
  }
};
// expect: an element must not be a final class: its members are looked for in a class that is derived from it
struct IsFinal final : Moved {};
// expect: a function of an element returns an expression of Eigen, which refers to what is gone; give it a return type such as lie::Vec<S, 3>
struct ReturnsAnExpression : Mistake {
  template <class S>
  auto outputs(const dae::Motion<S>& at) const {
    return lie::Vec<S, 2>(at.time(), at.time()) * at.time();
  }
};

dae::System made_system() {
  dae::System system;
  system.add("1", ResidualIsNotConst{}, {});
  system.add("2", ConstraintReturnsAScalar{}, {});
  system.add("4", AlgebraicReturnsAScalar{}, {});
  system.add("5", EnergyIsPrivate{}, {});
  system.add("6", EnergyIsData{}, {});
  system.add("7", MomentumReturnsAScalar{}, {});
  system.add("8", OutputsAreForNumbers{}, {});
  system.add("9", ValidationMessageReadsMotion{}, {});
  system.add("10", NameIsMisspelt{}, {});
  system.add("11", EnergyWithoutForces{}, {});
  system.add("13", IsFinal{}, {});
  system.add("14", ReturnsAnExpression{}, {});
  system.add("15", DrawingReadsMotion{}, {});
  return system;
}

int main() {}
