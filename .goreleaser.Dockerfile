# The image of a release: the program and its licenses. Manifests are mounted at /work.
FROM scratch
ARG TARGETPLATFORM
COPY $TARGETPLATFORM/kindvet /kindvet
COPY LICENSE NOTICE .release/THIRD-PARTY-LICENSES /licenses/
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["/kindvet"]
