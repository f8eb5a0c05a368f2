# The program and nothing else: no shell, no libraries, no root.
#
#   docker build -t rialto .
#   docker run --name rialto -p 8080:8080 -v rialto:/data -e RIALTO_URL=https://rialto.example.com rialto
#   printf '%s\n' "$PASSWORD" | docker exec -i rialto /usr/local/bin/rialto user add alice --password-stdin
#
# Configuration goes into /etc/rialto/rialto.yaml (see docs/configuration.md) and is
# named with: serve --config /etc/rialto/rialto.yaml

FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o /out/rialto ./cmd/rialto
# SQLite sorts large results in /tmp; the state lives in /data.
RUN mkdir -p -m 0700 /out/data && mkdir -p -m 1777 /out/tmp

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /out/rialto /usr/local/bin/rialto
COPY --from=build --chown=65532:65532 /out/data /data
COPY --from=build --chown=65532:65532 /out/tmp /tmp
ENV RIALTO_LISTEN=:8080 RIALTO_DATABASE=/data/rialto.db HOME=/data
USER 65532:65532
WORKDIR /data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=6s --start-period=5s CMD ["/usr/local/bin/rialto", "health"]
ENTRYPOINT ["/usr/local/bin/rialto"]
CMD ["serve"]
