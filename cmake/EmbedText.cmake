# Writes a C++ source whose function returns the text of a file. Run as
#   cmake -D INPUT=… -D OUTPUT=… -D HEADER=… -D FUNCTION=namespace::function -P EmbedText.cmake
file(READ "${INPUT}" hex HEX)
string(LENGTH "${hex}" digits)
math(EXPR size "${digits} / 2")
string(REGEX REPLACE "(..)" "\\\\x\\1" text "${hex}")
file(WRITE "${OUTPUT}" "#include \"${HEADER}\"\n\nstd::string_view ${FUNCTION}() { return {\"${text}\", ${size}}; }\n")
