import { readArguments } from './support/arguments.ts'
import { hasFile, runInOrder } from './support/run-commands.ts'

readArguments({
  usage: `npm run check
npm run check -- types | lint | format

Checks types, lint, format and the directions of imports, in this order, and stops at the first fault. format writes the files.`,
})

/** The directions of imports inside of the kernel and the store. */
const maintainersRules = 'test/template/structure/boundaries.test.ts'

process.exitCode = runInOrder([
  ['scripts/check-types.ts'],
  ['scripts/check-lint.ts'],
  ['mocha', 'test/imports.test.ts', ...[maintainersRules].filter(hasFile)],
])
