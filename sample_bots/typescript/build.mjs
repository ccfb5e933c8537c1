// Builds dist/: types from the .proto files, JavaScript from TypeScript, and a
// copy of the .proto files beside it, so that dist/main.js runs from any folder.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const contract = join("tichu", "referee", "v1", "referee.proto");
// Beside this file in a copy of this folder, two levels up in the repository.
const proto = [join(here, "proto"), join(here, "..", "..", "proto")].find((folder) =>
  existsSync(join(folder, contract)),
);
if (proto === undefined) {
  console.error(`no ${contract} in ./proto or ../../proto: copy the proto folder here`);
  process.exit(1);
}

const tool = (name, ...args) =>
  execFileSync(join(here, "node_modules", ".bin", name), args, { cwd: here, stdio: "inherit" });

rmSync(join(here, "src", "_gen"), { recursive: true, force: true });
tool(
  "proto-loader-gen-types",
  ...["--defaults", "--oneofs", "--grpcLib=@grpc/grpc-js", "--importFileExtension=.js"],
  ...["--outDir", join("src", "_gen"), "--includeDirs", proto, "--", contract],
);
tool("tsc");
cpSync(proto, join(here, "dist", "proto"), { recursive: true });
