// libcoinmetis as MUMPS calls it, the interface of METIS 4 for Fortran, by METIS 5 of the machine.

#include <metis.h>

namespace {

/// options[0] of METIS 4 is 0 for its defaults, which are those of METIS 5 here.
void order(idx_t* n, idx_t* xadj, idx_t* adjncy, idx_t* vwgt, const idx_t* numbering, idx_t* perm,
           idx_t* iperm) {
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_NUMBERING] = *numbering;
  METIS_NodeND(n, xadj, adjncy, vwgt, options, perm, iperm);
}

}  // namespace

extern "C" {

void metis_nodend_(idx_t* n, idx_t* xadj, idx_t* adjncy, const idx_t* numbering,
                   const idx_t* /*options*/, idx_t* perm, idx_t* iperm) {
  order(n, xadj, adjncy, nullptr, numbering, perm, iperm);
}

void metis_nodewnd_(idx_t* n, idx_t* xadj, idx_t* adjncy, idx_t* vwgt, const idx_t* numbering,
                    const idx_t* /*options*/, idx_t* perm, idx_t* iperm) {
  order(n, xadj, adjncy, vwgt, numbering, perm, iperm);
}

}  // extern "C"
