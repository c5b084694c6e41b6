# The application with what it needs to run, and nothing to build or test it.

FROM node:24-bookworm-slim AS dependencies
WORKDIR /srv
COPY package.json package-lock.json .npmrc ./
# The optional dependency is Node itself, which is there already.
RUN npm ci --omit=dev --omit=optional

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data NODE_COMPILE_CACHE=/srv/.warm/compiled
WORKDIR /srv
RUN install -d -o node -g node /data
COPY --from=dependencies /srv/node_modules node_modules
COPY package.json ./
COPY scripts scripts
COPY app app
COPY plugins plugins
COPY resources resources
RUN node scripts/warm.ts

USER node
EXPOSE 3000
VOLUME /data
# Whether the process runs: it is not started again because the database is away.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --start-interval=1s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "app/main.ts"]
