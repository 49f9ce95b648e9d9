# Texts that the program carries: a file becomes a function that returns it.

# Debian's libjs-chart.js; other systems set the path.
find_file(STINT_CHARTJS chart.min.js
  PATHS /usr/share/javascript/chart.js /usr/share/nodejs/chart.js/dist
  DOC "Chart.js 3, for the pages of stint report"
  NO_CMAKE_FIND_ROOT_PATH)  # a text is the same for every machine
if(NOT STINT_CHARTJS)
  message(FATAL_ERROR "chart.min.js (Chart.js 3) not found: install "
    "libjs-chart.js, or give its path by -DSTINT_CHARTJS=FILE")
endif()

# stint_embed(target header function file...): adds to the target the functions
# that `header` declares.
function(stint_embed target header)
  set(text "#include \"${header}\"\n\nnamespace stint {\n")
  while(ARGN)
    list(POP_FRONT ARGN function file)
    file(READ ${file} content)
    string(APPEND text "\nstd::string_view ${function}() {\n"
      "  return R\"stint-embed(${content})stint-embed\";\n}\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endwhile()
  string(APPEND text "\n}  // namespace stint\n")
  get_filename_component(name ${header} NAME_WE)
  set(made ${CMAKE_BINARY_DIR}/embedded/${name}.cc)
  # Written anew only when it differs, so that nothing is compiled again.
  file(WRITE ${made}.tmp "${text}")
  configure_file(${made}.tmp ${made} COPYONLY)
  target_sources(${target} PRIVATE ${made})
  set_source_files_properties(${made} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()
