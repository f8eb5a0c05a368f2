# The program and nothing else: no shell, no libraries, no root.
#
#   docker build -t rialto --build-arg REVISION="$(git rev-parse HEAD)" .
#   docker run --name rialto -p 8080:8080 -v rialto:/data -e RIALTO_URL=https://rialto.example.com rialto
#   printf '%s\n' "$PASSWORD" | docker exec -i rialto /usr/local/bin/rialto user add alice --password-stdin
#
# Configuration goes into /etc/rialto/rialto.yaml (see docs/configuration.md) and is
# named with: serve --config /etc/rialto/rialto.yaml
#
# Releases copy the program that GoReleaser has built: --build-arg BINARY=prebuilt.
ARG BINARY=build

FROM --platform=$BUILDPLATFORM golang:1.26.8-bookworm AS files
# SQLite sorts large results in /tmp; the state lives in /data.
RUN mkdir -p -m 0700 /out/data && mkdir -p -m 1777 /out/tmp

FROM files AS build
ARG TARGETOS TARGETARCH VERSION REVISION CREATED
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -ldflags="-s -w -X rialto/cmd/rialto/internal/server.release=$VERSION -X rialto/cmd/rialto/internal/server.commit=$REVISION -X rialto/cmd/rialto/internal/server.date=$CREATED" -o /out/rialto ./cmd/rialto

FROM scratch AS prebuilt
ARG TARGETPLATFORM
COPY $TARGETPLATFORM/rialto /out/rialto

FROM ${BINARY} AS program

FROM scratch
ARG VERSION REVISION CREATED
LABEL org.opencontainers.image.title="Rialto" \
      org.opencontainers.image.description="Lets chat apps log in and reach A2A agents" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.created="$CREATED"
COPY --from=files /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=program /out/rialto /usr/local/bin/rialto
COPY --from=files --chown=65532:65532 /out/data /data
COPY --from=files --chown=65532:65532 /out/tmp /tmp
ENV RIALTO_LISTEN=:8080 RIALTO_DATABASE=/data/rialto.db HOME=/data
USER 65532:65532
WORKDIR /data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=6s --start-period=5s CMD ["/usr/local/bin/rialto", "health"]
ENTRYPOINT ["/usr/local/bin/rialto"]
CMD ["serve"]
