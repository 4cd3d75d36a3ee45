# The image of the server: the published package on Node, nothing else. It runs as a user without rights, on a root file system
# that may be read-only; only /data is written.
FROM node:24-slim AS build
WORKDIR /src
COPY . .
# The launcher installs what the lock files name, with their checksums.
RUN npm run package

FROM node:24-slim
ENV NODE_ENV=production TOLLGATE_DATA=/data TOLLGATE_HOST=0.0.0.0 TOLLGATE_PORT=8080
# As the launcher would start the server again with, so that malloc and V8 keep little free memory.
ENV MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=131072 NODE_OPTIONS=--max-semi-space-size=16
COPY --from=build /src/dist /app
# Fails the build where the package does not run.
RUN node /app/bin/tollgate.js --version \
  && install --directory --owner=node --group=node --mode=0700 /data
USER node
WORKDIR /data
VOLUME /data
EXPOSE 8080
# Liveness; load balancers ask /readyz, which is 503 while the server drains.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.TOLLGATE_PORT + '/livez').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/bin/tollgate.js"]
CMD ["serve"]
