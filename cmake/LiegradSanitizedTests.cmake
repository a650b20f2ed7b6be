# What `make sanitize` runs: at least one program of every folder of the libraries, and what is about controls, callbacks,
# lifetimes, threads and files. Programs of the command are left to `make asan`: to compile it takes a quarter of the time.
# `make tsan` runs those that have threads.
set(LIEGRAD_SANITIZED_TESTS
  ad.cache_entry ad.kernel ad.nested ad.recording ad.taylor_scalar ad.threads
  built_in.kernels
  control.again control.evaluation_memory control.mistakes control.nlp control.report control.shooting
  dae.element_features dae.element_mistakes dae.integrate dae.newton dae.simulator dae.system
  docs.elements
  elements.forces elements.mechanism elements.sensors
  lie.replay lie.rotation_conversions
  models.default_run models.system_file
  optimize.fit optimize.measurement_file optimize.multi_start optimize.regression_start
  sensitivity.agreement.1 sensitivity.checkpoints sensitivity.differentiate sensitivity.sensitivity
  sensitivity.start_items sensitivity.threads sensitivity.user_function)
set(LIEGRAD_THREAD_TESTS ad.cache_entry ad.threads optimize.multi_start sensitivity.threads)

# They build what these tests run, and nothing else.
add_custom_target(sanitized_tests)
add_custom_target(thread_tests)

# liegrad_choose_test(<entry of ctest> <target>): labels the entry, and has its program built, when it is one of those.
function(liegrad_choose_test name target)
  foreach(kind IN ITEMS sanitized thread)
    string(TOUPPER "LIEGRAD_${kind}_TESTS" chosen)
    if(name IN_LIST ${chosen})
      set_property(TEST ${name} APPEND PROPERTY LABELS ${kind})
      add_dependencies(${kind}_tests ${target})
    endif()
  endforeach()
endfunction()
