import { readArguments } from './support/arguments.ts'
import { type Command, hasFile, runInOrder } from './support/run-commands.ts'

readArguments({
  usage: `npm run check -- types

Checks the types of the application, then those of tests and scripts, then those of examples. Stops after the first of them that
has errors, because one error in a resource causes many in tests. Files that no change affects are checked only once.`,
})

const projects = { app: 'tsconfig.app.json', types: 'tsconfig.json', examples: 'examples/tsconfig.json' }

process.exitCode = runInOrder(
  Object.entries(projects).flatMap(([name, config]): Command[] =>
    hasFile(config) ? [['tsc', '-p', config, '--incremental', '--tsBuildInfoFile', `.warm/${name}.tsbuildinfo`]] : [],
  ),
)
