# Completes the trees that cpack has installed before it packs them: one for each package.
set(source ${CPACK_TIMELESS_SOURCE_DIR})
set(packages runtime=timeless development=libtimeless-dev)
foreach(package IN LISTS packages)
  string(REPLACE "=" ";" package ${package})
  list(POP_FRONT package component name)
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component})
  if(NOT IS_DIRECTORY ${root}/usr)
    continue()
  endif()
  set(documents ${root}/usr/share/doc/${name})
  file(MAKE_DIRECTORY ${documents})
  file(COPY ${source}/packaging/debian/copyright DESTINATION ${documents}
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
  file(WRITE ${documents}/changelog.Debian "timeless (${CPACK_PACKAGE_VERSION}-1) unstable; urgency=medium

  * Packaged by cpack; changelog.gz tells what is new.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  file(COPY_FILE ${source}/CHANGELOG.md ${documents}/changelog)
  file(GLOB pages ${root}/usr/share/man/man1/*.1)
  execute_process(COMMAND gzip -9 -n -f ${pages} ${documents}/changelog ${documents}/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)
  file(MAKE_DIRECTORY ${root}/usr/share/lintian/overrides)
  file(COPY_FILE ${source}/packaging/debian/${name}.overrides ${root}/usr/share/lintian/overrides/${name})
  file(GLOB_RECURSE data ${root}/usr/share/lintian/* ${documents}/*)
  file(CHMOD ${data} FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
endforeach()
