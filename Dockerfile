# The service on CPUs; docs/deployment.md says how to run it. Dockerfile.gpu is for hosts with NVIDIA GPUs.
#
#     docker build -t qcs .

# The CPU engine's WebAssembly and the console, whose builds need the development packages. The console has the
# WebAssembly in it.
FROM node:24-bookworm-slim AS built
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY assembly assembly
COPY scripts/build-wasm.ts scripts/build-page.ts scripts/
COPY tsconfig.json ./
COPY src src
RUN node scripts/build-wasm.ts && node scripts/build-page.ts

# The runtime packages, without Dawn: there is no GPU, and Dawn is two thirds of their size.
FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts && rm -r node_modules/webgpu/dist

FROM node:24-bookworm-slim
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json README.md ./
COPY src src
COPY --from=built /app/src/engine/cpu/wasm src/engine/cpu/wasm
COPY --from=built /app/src/console/built src/console/built
COPY shaders shaders
COPY models models
COPY docs docs
COPY examples examples
RUN mkdir /data && chown node:node /data

ENV NODE_ENV=production \
  QCS_HOST=0.0.0.0 \
  QCS_DATA_DIR=/data \
  QCS_ENGINE=cpu
USER node
VOLUME /data
EXPOSE 8080
# Healthy while the process answers.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.QCS_PORT || 8080}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "src/main.ts"]
