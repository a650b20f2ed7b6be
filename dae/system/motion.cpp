#include "liegrad/ad/recording.hpp"
#include "liegrad/dae/system/motion_functions.hpp"

namespace liegrad::dae {

template class Position<double>;
template class Position<ad::Taped>;
template class Motion<double>;
template class Motion<ad::Taped>;
template class Balance<double>;
template class Balance<ad::Taped>;

}  // namespace liegrad::dae
