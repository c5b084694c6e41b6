import { join } from 'node:path'
import { restartOnChange } from './dev/restart-on-change.ts'
import { readArguments } from './support/arguments.ts'
import { root } from './support/root.ts'

readArguments({
  usage: `npm run dev

Starts the service, and restarts it when a file of app/, plugins/, RESOURCE_PATHS or .env changes.`,
})

const resources = (process.env.RESOURCE_PATHS || 'resources').split(',').map((path) => path.trim())
const running = restartOnChange({
  args: [join(root, 'scripts/start.ts')],
  folders: ['app', 'plugins', ...resources].map((folder) => join(root, folder)),
  files: [join(root, '.env')],
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => running.stop(signal))
process.exitCode = await running.stopped
