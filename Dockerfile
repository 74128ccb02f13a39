# Build: everything is compiled here, and development packages stay behind.
FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
COPY console/package.json console/
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY scripts scripts
COPY data data
COPY migrations migrations
COPY src src
COPY console console
RUN npm run build && npm prune --omit=dev --no-audit --no-fund

FROM node:24-slim
# One heap of the C library for all threads: what many have let go of stays with the process otherwise.
ENV NODE_ENV=production \
    MALLOC_ARENA_MAX=1 \
    PINAKES_HOST=0.0.0.0 \
    PINAKES_PORT=7700 \
    PINAKES_DATA_DIR=/data
WORKDIR /app
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist dist
COPY data data
COPY migrations migrations
COPY package.json LICENSE NOTICE README.md ./
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 7700
# The first start creates the database; later ones are ready within two seconds.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PINAKES_PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/cli/pinakes.js"]
CMD ["serve"]
