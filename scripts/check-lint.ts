import { readArguments } from './support/arguments.ts'
import { run } from './support/run-commands.ts'

readArguments({ usage: 'npm run check -- lint\n\nLists errors of the linter, and files that are not formatted.' })
process.exitCode = run(['biome', 'check', '.'])
