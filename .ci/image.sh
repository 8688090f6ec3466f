#!/usr/bin/env bash
# Builds the image of the Dockerfile with buildah, on a base image made of this machine's Node.js, and serves a mounted folder with it.
# With the path of a file, the image is also written there as an archive that `docker load` reads.
# Exit code 77: it cannot be built here; the last line is the reason.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=vfs

# What the image may add to its base image, in megabytes.
MAX_ADDED_MB=18

skip() {
  echo "the image is not built: $1"
  exit 77
}

[ "$(id -u)" -eq 0 ] || skip 'buildah needs root to build without a container engine'
command -v buildah >/dev/null || skip 'buildah is not installed'

scratch=$(mktemp -d)
# Containers and images go to a folder of their own.
export CONTAINERS_STORAGE_CONF=$scratch/storage.conf
printf '[storage]\ndriver = "vfs"\nrunroot = "%s/run"\ngraphroot = "%s/graph"\n' "$scratch" "$scratch" >"$CONTAINERS_STORAGE_CONF"
server=
cleanup() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  buildah rm --all >/dev/null 2>&1 || true
  rm -rf "$scratch"
}
trap cleanup EXIT

probe=$(buildah from scratch 2>&1) || skip "buildah cannot create a container: $probe"

echo 'base image: the recipe of docs/maintainers/docker.md'
awk '/<!-- base image -->/ { found = 1 } found && /^```$/ { exit } found && inside { print } found && /^```sh$/ { inside = 1 }' docs/maintainers/docker.md >"$scratch/base.sh"
bash -euo pipefail "$scratch/base.sh" >"$scratch/base.log" 2>&1 || {
  tail -5 "$scratch/base.log"
  exit 1
}

buildah build --format docker --pull=never --quiet -t vouch . >"$scratch/build.log" 2>&1 || {
  tail -20 "$scratch/build.log"
  exit 1
}

megabytes() {
  echo $((($1 + 999999) / 1000000))
}
container=$(buildah from --pull=never localhost/vouch)
root=$(buildah mount "$container")
base=$(buildah mount "$(buildah from --pull=never docker.io/library/node:22.23-slim)")
added=$(($(du -sb "$root" | cut -f1) - $(du -sb "$base" | cut -f1)))
echo "the image adds $(megabytes "$added") MB to its base image"
[ "$(megabytes "$added")" -le "$MAX_ADDED_MB" ] || exit 1

# Prints an answer of the mounted folder, once the server has printed its address.
buildah run -v "$PWD/examples/compose/api:/api:ro" "$container" -- node /app/dist/cli/main.js serve --port 0 --no-control-token >"$scratch/server.log" 2>&1 &
server=$!
for _ in $(seq 150); do
  port=$(sed -nE 's#.*http://[^ ]*:([0-9]+)/v1.*#\1#p' "$scratch/server.log" | head -1)
  [ -z "$port" ] && kill -0 "$server" 2>/dev/null || break
  sleep 0.2
done
[ -n "$port" ] || {
  cat "$scratch/server.log"
  exit 1
}
node -e '
  fetch(`http://127.0.0.1:${process.argv[1]}/v1/orders`)
    .then(async (response) => {
      const orders = await response.json();
      if (orders[0]?.item !== "A book") throw new Error(JSON.stringify(orders));
      console.log(`the image serves the mounted folder: ${orders.length} orders`);
    })
    .catch((error) => {
      console.error(error);
      process.exitCode = 1;
    });
' "$port"
[ $# -eq 0 ] || buildah push --quiet localhost/vouch "docker-archive:$1:vouch:latest"
