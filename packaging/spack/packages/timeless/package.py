from spack.package import *


class Timeless(CMakePackage):
    """Time-independent traces of MPI programs, and their replay: records what a program computes and sends, and predicts how long it
    would take on another machine, by a model or in SimGrid's SMPI."""

    # A checkout: spack dev-build timeless@main, or spack develop --path CHECKOUT timeless@main
    has_code = True
    license("BSD-3-Clause AND GPL-2.0-or-later", checked_by="the Timeless authors")

    version("main", branch="main", no_cache=True)

    variant("tests", default=False, description="Build the tests")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.9:", type=("build", "run"))
    depends_on("mpi")
    depends_on("simgrid@3.32+smpi")
    depends_on("valgrind@3.19:", type=("build", "link", "run"))
    depends_on("papi")
    depends_on("zstd libs=static,shared")
    depends_on("xxhash")
    depends_on("protozero")
    depends_on("otf2")
    depends_on("elfutils")  # libdw
    depends_on("eigen")
    depends_on("pugixml")
    depends_on("zlib-api")
    depends_on("cli11@2.3:")
    depends_on("fmt@9:")
    depends_on("nlohmann-json@3.11:")
    with when("+tests"):
        depends_on("googletest+gmock", type="build")
        depends_on("rapidcheck", type="build")
        depends_on("benchmark", type="build")

    generator("ninja")

    requires("target=x86_64:", msg="counting instructions needs Valgrind on x86-64")

    def cmake_args(self):
        return [
            self.define_from_variant("TIMELESS_TESTS", "tests"),
            self.define("TIMELESS_BENCH", False),
            self.define("TIMELESS_WARNINGS", False),
            self.define("TIMELESS_PYTHON_DIR", python_platlib),
        ]
