import { readArguments } from './support/arguments.ts'
import { run } from './support/run-commands.ts'

readArguments({ usage: 'npm run check -- format\n\nFormats all files, and sorts their imports.' })
process.exitCode = run(['biome', 'check', '--write', '.'])
