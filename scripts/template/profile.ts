import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import autocannon from 'autocannon'
import { readArguments } from '../support/arguments.ts'
import { withPostgres } from '../support/postgres.ts'
import { readProfile } from './bench/cpu-profile.ts'
import { startApplication } from './bench/measured-service.ts'

const usage = `npm run template -- profile 'GET /albums?page[size]=50'

Prints the statements and the CPU profile of one request.

  --seconds  duration of the load; default: 5
  --scale    units of generated rows; default: 10
  --body     the body of the request
  --output   the file of the profile; default: request.cpuprofile`

const { values, positionals } = readArguments({
  usage,
  positionals: 1,
  options: {
    seconds: { type: 'string', default: '5' },
    scale: { type: 'string', default: '10' },
    body: { type: 'string' },
    output: { type: 'string', default: 'request.cpuprofile' },
  },
})
const [, method = 'GET', path = '/albums'] = /^(?:([A-Z]+) )?(.*)$/.exec(positionals[0] ?? 'GET /albums') ?? []

await withPostgres(async (databaseUrl) => {
  const env = { ...process.env, DATABASE_URL: databaseUrl }
  const seed = resolve(import.meta.dirname, '../seed.ts')
  spawnSync(process.execPath, [seed, '--scale', values.scale], { stdio: ['ignore', 'ignore', 'inherit'], env })
  const service = await startApplication(databaseUrl)
  try {
    const request = {
      method: method as 'GET',
      headers: { 'content-type': 'application/vnd.api+json' },
      ...(values.body !== undefined && { body: values.body }),
    }
    await autocannon({ url: `${service.url}/live`, connections: 1, duration: 2 }) // the job queue sends statements at its start
    await service.read({ listen: true })
    const response = await fetch(service.url + path, method === 'GET' ? {} : request)
    console.log(`${method} ${path}: ${response.status}, ${(await response.text()).length} characters\n`)
    for (const { text } of (await service.read()).statements) console.log(`${text}\n`)

    const url = service.url + path.replaceAll('[', '%5B').replaceAll(']', '%5D')
    const load = { url, ...(method === 'GET' ? {} : request), connections: 8 }
    await autocannon({ ...load, duration: 1 })
    await service.read({ profile: 'start' })
    const { requests } = await autocannon({ ...load, duration: Number(values.seconds) })
    await service.read({ profile: { file: resolve(values.output) } })
    console.log(`${requests.average} requests per second\n\n${summarise(resolve(values.output))}`)
    console.log(`\nThe profile is in ${values.output}; open it in Chrome DevTools or VS Code.`)
  } finally {
    await service.stop()
  }
})

/** Lists the functions with the most self time. */
function summarise(file: string): string {
  const times = new Map<string, number>()
  for (const { frame, time } of readProfile(file)) {
    const path = frame.url.replace(/^file:.*?\/(?=app\/|plugins\/|resources\/|node_modules\/)/, '')
    const name = `${frame.functionName || '(anonymous)'} ${path}:${frame.lineNumber + 1}`
    times.set(name, (times.get(name) ?? 0) + time)
  }
  const total = [...times.values()].reduce((sum, time) => sum + time, 0)
  const top = [...times].sort(([, a], [, b]) => b - a).slice(0, 40)
  return top.map(([name, time]) => `${((time / total) * 100).toFixed(1).padStart(5)} % ${name}`).join('\n')
}
