# Build stage: compile and bundle, then remove development dependencies.
FROM node:22.23-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Without the script that builds: nothing to build is here yet, and what did not change is not installed again.
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY build ./build
COPY inspector ./inspector
COPY src ./src
RUN npm run build
# The server loads no types and no source maps.
RUN npm prune --omit=dev && find dist node_modules \( -name '*.d.ts' -o -name '*.d.[cm]ts' -o -name '*.map' \) -delete

# Final stage: the built server and the built-in contract. Nothing is written at run time.
FROM node:22.23-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json LICENSE ./
COPY spec ./spec
COPY fixtures ./fixtures
COPY scenarios ./scenarios
COPY presets ./presets
# The folder of the user, or mount points for its parts; if no document is mounted, the built-in contract in /app is served.
WORKDIR /api
RUN mkdir spec fixtures scenarios
USER node
ENV VOUCH_HOST=0.0.0.0 VOUCH_PORT=4010
EXPOSE 4010
HEALTHCHECK --interval=5s --timeout=3s --start-period=5s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.VOUCH_PORT}/__mock/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/dist/cli/main.js"]
CMD ["serve"]
