# The image of a release: the program and nothing else. Manifests are mounted at /work.
FROM scratch
ARG TARGETPLATFORM
COPY $TARGETPLATFORM/kindvet /kindvet
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["/kindvet"]
