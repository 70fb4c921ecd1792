# Every target works on a fresh clone: what it needs is set up first.
#
#   make report                        the whole report
#   make test ARGS="-k doctor"         more arguments for the command behind a target
#   make setup PYTHON=python3.12       a particular Python

.DEFAULT_GOAL := help
BIN := .venv/bin
ARGS ?=
N ?= 300
SEED ?= 1
CAMPAIGNS ?= --all
FUZZ_SECONDS ?= 300
TORTURE_SECONDS ?= 600
VERSIONS ?= 2.44.0

# Tests of brokers and commands often wait: more workers than processors keep these busy.
TWO_MORE = $$(( $$(getconf _NPROCESSORS_ONLN) + 2 ))

# Pythons to try, in this order; the first that is new enough and can make environments wins.
PYTHON ?= python3 python3.14 python3.13 python3.12 python3.11

# A Python setting of the caller's must not leak into the environment, and without bytecode files
# every kernel would compile pandas again.
unexport PYTHONHOME PYTHONPATH PYTHONDONTWRITEBYTECODE PIP_USER PIP_REQUIRE_VIRTUALENV

# $(call venv,FOLDER): make a virtual environment anew, as pip removes nothing from an old one.
define venv
@test ! -L $(1) || { echo "setup stopped: $(1) is a link, perhaps to the environment of another" \
	"checkout; remove the link, then run the command again" >&2; exit 1; }
@for python in $(PYTHON); do \
	if $$python -c "import ensurepip, sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))" \
		2>/dev/null; \
	then echo "setup: making $(1)"; exec $$python -P -m venv --clear --prompt roundtrip $(1); fi; \
done; \
echo "setup stopped: no Python 3.11 to 3.14 that can make environments found; install one with" \
	"'sudo apt-get install python3 python3-venv', or name one with 'make PYTHON=/path/to/python3'" >&2; \
exit 1
endef

PIP = -P -m pip install --quiet --no-input --disable-pip-version-check --no-deps
LOCKED = $(PIP) --only-binary=:all: --require-hashes --requirement

# $(call pytest,WORKERS,MARKS): the tests with these marks, by so many workers. Those of a file share
# what they look at, such as the observations of this edition, so one worker takes them all.
define pytest
$(BIN)/pytest --numprocesses $(1) --maxprocesses 8 --dist loadfile --no-loadscope-reorder $(2) $(ARGS)
endef

define lint
$(BIN)/ruff check
$(BIN)/ruff format --check
endef

# The tests of the load driver, unless only some of the others are asked for.
define test_harness
if command -v mvn >/dev/null && command -v javac >/dev/null; \
	then mvn --quiet --batch-mode --file harness/pom.xml test; \
	else echo "no JDK or no Maven: the load driver is not tested"; fi
endef

.PHONY: help report docs wheel watch campaign test test-quick test-all fuzz torture mutants crate check lab review setup setup-hosts setup-dev setup-lab harness harness-versions lock strip clean distclean

help: ## List these targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | while IFS="$$(printf '\t')" read -r target text; \
	do printf '  make %-11s %s\n' "$$target" "$$text"; done

report: setup ## Build the report, HTML and PDF, into reports/<version>/
	@$(BIN)/roundtrip build $(ARGS)

watch: setup ## … and rebuild whenever a chapter is saved, until Ctrl-C
	@$(BIN)/roundtrip build --watch $(ARGS)

# Old results stay until the new ones of a campaign are complete.
campaign: setup harness ## Run the campaigns (quick profiles; CAMPAIGNS="tls ha" for some), then build
	@$(BIN)/roundtrip run $(CAMPAIGNS) --profile quick --fresh --yes $(ARGS)
	@$(BIN)/roundtrip build --overwrite

test: setup-dev ## Lint, check types and run the tests (minutes; see docs/testing.md)
	$(lint)
	@beside=$$(mktemp); \
	{ $(BIN)/mypy && $(if $(ARGS),true,{ $(test_harness); }); } >"$$beside" 2>&1 & other=$$!; \
	$(call pytest,$(TWO_MORE),-m "not (edition or thorough)"); tests=$$?; \
	wait $$other; others=$$?; cat "$$beside"; rm "$$beside"; exit $$(( tests + others ))

test-quick: setup-dev ## … only tests without a built report or a broker; before each commit
	$(lint)
	$(BIN)/mypy
	$(call pytest,logical,-m "not (edition or broker or slow or thorough)")

test-all: setup-dev ## … everything: the whole report twice, every campaign, real Quarto
	$(lint)
	$(BIN)/mypy
	$(call pytest,logical)
	$(if $(ARGS),,$(test_harness))

fuzz: setup-dev ## Run the property tests with fresh seeds, for FUZZ_SECONDS=300
	@$(BIN)/python tests/fuzz.py --seconds $(FUZZ_SECONDS) $(ARGS)

torture: setup-dev ## Kill builds, flip bytes, fill disks, plant hostile text, wrong values and secrets, for TORTURE_SECONDS=600
	@PYTHONPATH=tests $(BIN)/python -m torture --seconds $(TORTURE_SECONDS) $(ARGS)

# The tool that makes mutants has an environment of its own.
mutants: setup-dev ## Mutate the code in N=300 places (SEED=1) and count what the tests catch
	@test -x .cache/mutants/bin/cosmic-ray || { $(BIN)/python -m venv --clear .cache/mutants && \
		.cache/mutants/bin/pip install --quiet --disable-pip-version-check --require-hashes \
		--requirement tests/mutants.lock; }
	@.cache/mutants/bin/python tests/draw_mutants.py .cache/mutants/drawn.json --count $(N) --seed $(SEED) $(ARGS)
	@$(BIN)/python tests/mutants.py .cache/mutants/drawn.json

# The validator, which reads the vocabulary of crates over the network, has one too.
crate: setup ## Validate the crate of a packet (PACKET=…) against the published profile
	@test -e "$(PACKET)" || { echo "name the packet: make crate PACKET=acme-1.2.0.zip" >&2; exit 1; }
	@test -x .cache/crate/bin/rocrate-validator || { $(BIN)/python -m venv --clear .cache/crate && \
		.cache/crate/bin/pip install --quiet --disable-pip-version-check --require-hashes \
		--requirement tests/crate.lock; }
	@rm -rf .cache/crate/opened && $(BIN)/python -m zipfile -e "$(PACKET)" .cache/crate/opened
	@.cache/crate/bin/rocrate-validator -y validate --profile-identifier process-run-crate-0.5 \
		--verbose --no-paging $(ARGS) .cache/crate/opened/*

check: setup ## Check the data against the rules in checks/
	@$(BIN)/roundtrip check $(ARGS)

# The kernel is the report's own (.venv); JupyterLab lives beside it and finds the kernel, and the
# figures' interactive view, through JUPYTER_PATH.
# $(call jupyterlab,FOLDER,FILE): a folder in JupyterLab, with one of its files open.
define jupyterlab
JUPYTER_PATH="$(CURDIR)/.venv/share/jupyter" .venv-lab/bin/jupyter lab \
	--notebook-dir="$(1)" --LabApp.default_url="/lab/tree/$(2)" \
	--LabApp.extension_manager=readonly \
	$$(test "$$(id -u)" != 0 || echo --allow-root) $(ARGS)
endef

lab: setup-lab ## Open the chapters in JupyterLab
	@$(call jupyterlab,.,notebooks)

# What was opened before is gone on with. Chapters run with the packet's own Roundtrip.
review: setup-lab ## Verify a packet (PACKET=acme-1.2.0.zip) and open it in JupyterLab
	@test -e "$(PACKET)" || { echo "name the packet: make review PACKET=acme-1.2.0.zip" >&2; exit 1; }
	@folder=".cache/review/$$(basename "$$(realpath "$(PACKET)")" .zip)"; \
	test -d "$$folder" || $(BIN)/roundtrip unpack "$(PACKET)" "$$folder"; \
	test -d "$$folder" || exit 1; \
	export PYTHONPATH="$(CURDIR)/$$folder/tool"; \
	$(call jupyterlab,$$folder,verification.html)

setup: .venv/package ## Install everything that a build needs
	@$(BIN)/python -m roundtrip.setup.browser
	@$(BIN)/python -m roundtrip.setup.harness_build --if-possible

setup-hosts: setup .venv/hosts ## … and Dask, for several hosts

setup-dev: setup .venv/dev ## … and the tools that the tests need

setup-lab: setup .venv-lab/base ## … and JupyterLab

# An environment holds a file for each thing that was installed whole, with its time. One that was
# moved, or whose Python is gone, is made anew.
ifneq ($(shell test -x $(BIN)/python && cat .venv/package 2>/dev/null),$(CURDIR))
.PHONY: .venv/base
endif

.venv/base: requirements.lock
	$(call venv,.venv)
	@echo "setup: installing the packages of $< (the first time takes a minute)"
	@$(BIN)/python $(LOCKED) $<
	@touch $@

.venv/package: pyproject.toml .venv/base
	@$(BIN)/python $(PIP) --no-index --no-build-isolation --editable .
	@echo "$(CURDIR)" >$@

# The lock file of the tests includes that for several hosts, and both include the first.
.venv/hosts .venv/dev: .venv/%: requirements-%.lock .venv/base
	@echo "setup: installing the packages of $<"
	@$(BIN)/python $(LOCKED) $<
	@touch $@

# As shipped, the kernel is "python", which JupyterLab takes to be its own; and it would ask a server
# for news.
.venv-lab/base: requirements-lab.lock .venv/base
	$(call venv,.venv-lab)
	@echo "setup: installing the packages of $<"
	@.venv-lab/bin/python $(LOCKED) $<
	@$(BIN)/python -m ipykernel install --sys-prefix >/dev/null
	@.venv-lab/bin/python -P -m jupyterlab.labextensions disable \
		"@jupyterlab/apputils-extension:announcements"
	@touch $@

# The newest versions that pyproject.toml allows, the same for every Python and platform.
UV_COMPILE = .cache/lock/bin/uv pip compile --quiet --upgrade --universal --python-version 3.11 \
	--fork-strategy fewest --generate-hashes --no-emit-index-url --no-emit-find-links \
	--custom-compile-command "make lock"

harness: .venv/package ## Build the load driver (needs a JDK and Maven)
	@$(BIN)/python -m roundtrip.setup.harness_build

# Another version of the broker: the same harness with that version's libraries beside it. The
# group was org.apache.activemq before 2.50.
harness-versions: harness ## … with other broker versions too, for the plan versions
	@for version in $(VERSIONS); do \
		folder=harness/target/versions/$$version; \
		case $$version in 2.[0-4][0-9].*) group=org.apache.activemq;; *) group=org.apache.artemis;; esac; \
		mvn --quiet --batch-mode --file harness/pom.xml -Dartemis.version=$$version \
			-Dartemis.group=$$group dependency:copy-dependencies -DincludeScope=runtime \
			"-DoutputDirectory=$(CURDIR)/$$folder/lib" || exit 1; \
		cp harness/target/roundtrip-harness.jar "$$folder/" || exit 1; \
	done

wheel: setup harness ## Build the wheel, load driver included, and its lock file into dist/
	@$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-index \
		--no-build-isolation --wheel-dir dist .
	@cp requirements.lock dist/

docs: setup-dev ## Generate docs/vocabulary.md from docstrings and examples
	@$(BIN)/python docs/vocabulary/make.py

lock: setup ## Pin the newest versions allowed by pyproject.toml
	$(BIN)/python -m venv --clear .cache/lock
	.cache/lock/bin/pip install --quiet --disable-pip-version-check uv
	$(UV_COMPILE) pyproject.toml --group build --output-file requirements.lock
	$(UV_COMPILE) pyproject.toml --group build --extra hosts --constraint requirements.lock \
		--output-file requirements-hosts.lock
	$(UV_COMPILE) pyproject.toml --group build --group dev --extra hosts \
		--constraint requirements-hosts.lock \
		--output-file requirements-dev.lock
	$(UV_COMPILE) --group lab --constraint requirements.lock --output-file requirements-lab.lock
	echo "cosmic-ray>=8.7" | $(UV_COMPILE) - --output-file tests/mutants.lock
	echo "roc-validator>=0.13" | $(UV_COMPILE) - --output-file tests/crate.lock

strip: setup ## Strip the outputs from the chapters, for git
	@$(BIN)/python -m roundtrip.publish.chapters.strip notebooks/*.ipynb

clean: ## Remove caches; keeps environments and built reports
	rm -rf .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find src tests benchmarks -type d -name __pycache__ -exec rm -rf {} + 2>/dev/null || true

distclean: clean ## … and the environments; keeps built reports
	rm -rf .venv .venv-lab harness/target
