# Writes the style and the script of reports as C++: cmake -D style=FILE -D script=FILE -D output=FILE -P embed.cmake
set(text "#include \"tools/render/report/page/assets.h\"\n\nnamespace timeless::tools {\n\n")
foreach(asset style script)
  file(READ ${${asset}} hex HEX)
  file(SHA256 ${${asset}} digest)
  string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${hex}")
  # A literal for every 16 bytes: what follows a hexadecimal escape must not continue it.
  string(REGEX REPLACE "(................................................................)" "\"\\1\"\n" bytes "${bytes}")
  string(REGEX REPLACE "\n([^\"\n]+)$" "\n\"\\1\"\n" bytes "${bytes}")
  string(APPEND text "namespace {\nconstexpr char page_${asset}_bytes[] =\n${bytes};\n} // namespace\n"
    "const PageAsset page_${asset}{{page_${asset}_bytes, sizeof page_${asset}_bytes - 1}, \"${digest}\"};\n\n")
endforeach()
string(APPEND text "} // namespace timeless::tools\n")
file(WRITE ${output} "${text}")
