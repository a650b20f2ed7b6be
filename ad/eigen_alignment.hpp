#pragma once

// Refuses to compile where Eigen's types would not be those of our libraries.
//
// How Eigen aligns fixed-size types, and how it frees dynamic ones, depends on the flags of the compiler: -mavx
// aligns to 32 bytes, -march=native perhaps to 64, and beyond 16 bytes or under -fsanitize=address memory is no
// longer that of malloc(). A program and a library that were compiled with different flags then disagree about the
// place of members and free each other's memory wrongly. Three definitions fix what must be equal and leave Eigen
// free to use the processor's instructions:
//
//     EIGEN_MAX_ALIGN_BYTES=16, EIGEN_MAX_STATIC_ALIGN_BYTES=16    types have one layout
//     EIGEN_MALLOC_ALREADY_ALIGNED=0    each block knows its own beginning, so that anyone can free it
//
// The first does not reach the memory of matrix products, which Eigen aligns to the vectors of the processor: so the
// third cannot be 1. The target liegrad::ad brings all three.

#include <Eigen/Core>

static_assert(
    EIGEN_MAX_ALIGN_BYTES == 16 && EIGEN_MAX_STATIC_ALIGN_BYTES == 16 &&
        EIGEN_MALLOC_ALREADY_ALIGNED == 0,
    "Eigen's types differ from those that Liegrad's libraries were compiled with: link to the "
    "CMake target of a Liegrad component, or compile all of the program with "
    "-DEIGEN_MAX_ALIGN_BYTES=16 -DEIGEN_MAX_STATIC_ALIGN_BYTES=16 "
    "-DEIGEN_MALLOC_ALREADY_ALIGNED=0");
