import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { markDirty, root } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import {
  findCommand,
  commands as known,
  listOptions,
  npmScripts,
  readCommands,
} from '#test/template/support/documented-commands.ts'

// test/template/proofs/marathon/commands.test.ts calls every script with --help, and compares its output with the documented options.

/** The test, the commands of CI, or the marathon in scripts/template/commands.ts that run each documented script. */
const executedBy: Readonly<Record<string, string>> = {
  start: 'test/template/proofs/endurance/start.test.ts',
  dev: 'test/template/process/dev.test.ts',
  'template -- cluster': 'test/template/proofs/endurance/cluster.test.ts',
  test: '.ci/run',
  'test:postgres': '.ci/run',
  'template -- plans': '.ci/run',
  'template -- pooler': 'scripts/template/commands.ts',
  'template -- marathon': 'scripts/template/commands.ts',
  'template -- endurance': '.ci/run',
  'template -- endurance embedded': '.ci/run',
  'template -- endurance postgres': '.ci/run',
  'template -- browser': '.ci/run',
  'template -- clients': '.ci/run',
  'check -- types': '.ci/run',
  check: '.ci/run',
  migrate: 'test/template/process/migrate-commands.test.ts',
  'migrate -- status': 'test/template/process/migrate-commands.test.ts',
  'migrate -- down': 'test/template/process/migrate-commands.test.ts',
  'migrate -- baseline': 'test/template/process/migrate-commands.test.ts',
  'migrate -- create': 'test/template/process/missing-columns.test.ts',
  make: 'test/template/structure/commands.test.ts',
  'make -- resource': 'test/template/structure/make.test.ts',
  'make -- plugin': 'test/template/structure/make.test.ts',
  'make -- action': 'test/template/structure/make.test.ts',
  init: 'test/template/commands/init.test.ts',
  'plugin -- remove': 'test/template/structure/plugin-removal.test.ts',
  update: 'test/template/update/update.test.ts',
  'update -- status': 'test/template/update/commands.test.ts',
  template: 'test/template/structure/commands.test.ts',
  'template -- kernel': 'test/template/kernel/minimal/minimal.test.ts',
  'template -- release': 'test/template/update/commands.test.ts',
  seed: 'test/template/proofs/marathon/commands.test.ts',
  'make -- key': 'test/template/commands/make-key.test.ts',
  routes: 'test/template/process/scripts.test.ts',
  pipeline: 'test/template/process/scripts.test.ts',
  doctor: 'test/template/proofs/endurance/scripts.test.ts',
  explain: 'test/template/commands/explain/command.test.ts',
  example: 'test/template/browser/example.test.ts',
  'example:live': 'test/template/browser/live-example.test.ts',
  'make -- types': 'test/template/typed-client/package.test.ts',
  repl: 'test/template/proofs/endurance/scripts.test.ts',
  prove: 'test/template/proofs/marathon/prove.test.ts',
  'template -- prove isolation': 'test/template/proofs/endurance/isolation.test.ts',
  'template -- prove endurance': 'test/template/proofs/endurance/mixed-load.test.ts',
  'template -- prove paths': '.ci/run',
  'template -- prove metamorphic': 'test/template/proofs/metamorphic/metamorphic.test.ts',
  'template -- prove filters': 'test/template/proofs/filters/filters.test.ts',
  'template -- prove webhooks': 'scripts/template/commands.ts',
  'template -- prove live': 'plugins/live/test/random-writes.test.ts',
  'template -- prove faults': 'test/template/proofs/faults/faults.test.ts',
  'template -- prove batches': 'scripts/template/commands.ts',
  'template -- prove mutants': 'test/template/proofs/mutants/mutants.test.ts',
  'template -- fuzz': '.ci/run',
  'docs -- serve': 'test/template/proofs/marathon/commands.test.ts',
  'docs -- errors': 'test/template/proofs/marathon/commands.test.ts',
  'docs -- configuration': 'test/template/proofs/marathon/commands.test.ts',
  'openapi -- export': 'test/template/structure/openapi-scripts.test.ts',
  'openapi -- diff': '.ci/run',
  'template -- test': '.ci/run',
  'template -- coverage': 'test/template/proofs/marathon/commands.test.ts',
  // Measurements: only their options are checked.
  'template -- bench': 'test/template/proofs/marathon/commands.test.ts',
  'template -- bench conditional': 'test/template/proofs/marathon/commands.test.ts',
  'template -- bench live': 'test/template/proofs/marathon/commands.test.ts',
  'template -- bench tracing': 'test/template/proofs/marathon/commands.test.ts',
  'template -- capacity': 'test/template/proofs/marathon/commands.test.ts',
  'template -- profile': 'test/template/proofs/marathon/commands.test.ts',
}

const commands = readCommands()

describe('Commands of the documentation', () => {
  it('are npm scripts, installed programs or files of the project', () => {
    const missing = commands.filter(({ command }) => !exists(command))
    expect(missing).to.deep.equal([])
  })

  it('have options that the script declares', () => {
    const unknown = commands.flatMap(({ file, command }) => {
      const script = findCommand(command)
      if (!script) return []
      const options = [...command.replace(/'[^']*'/g, '').matchAll(/ --([a-z][\w-]*)/g)].map(([, name = '']) => name)
      return options.filter((name) => !listOptions(script).has(name)).map((name) => `${file}: ${command}: --${name}`)
    })
    expect(unknown).to.deep.equal([])
  })

  it('are listed in the pages of commands with options that one of the scripts of the row declares', () => {
    const rows = ['docs/commands.md', 'docs/internals/commands.md']
      .flatMap((page) => readFileSync(join(root, page), 'utf8').split('\n'))
      .filter((line) => line.startsWith('| `npm'))
    const unknown = rows.flatMap((row) => {
      const scripts = [...row.matchAll(/`(npm [^`]*)`/g)].flatMap(([, command = '']) => findCommand(command) ?? [])
      const options = [...row.matchAll(/(?<=[` ])--([a-z][\w-]*)/g)].map(([, name = '']) => name)
      return options
        .filter((name) => !scripts.some((script) => listOptions(script).has(name)))
        .map((name) => `${row}: --${name}`)
    })
    expect(unknown).to.deep.equal([])
  })

  it('are run by a test or by CI', () => {
    const scripts = new Set(commands.flatMap(({ command }) => findCommand(command) ?? []))
    expect([...scripts].filter((script) => !existsSync(join(root, executedBy[script] ?? 'missing')))).to.deep.equal([])
  })
})

describe('curl commands of the documentation', () => {
  const folder = mkdtempSync(join(tmpdir(), 'curl-'))
  before(() => writeFileSync(join(folder, 'cover.png'), Buffer.from('89504e470d0a1a0a', 'hex')))
  after(() => rmSync(folder, { recursive: true }))

  const pages = Map.groupBy(
    commands.filter(({ command }) => command.startsWith('curl ') && command.includes('http://')),
    ({ file }) => file,
  )
  for (const [file, shown] of pages) {
    // Run by test/template/proofs/marathon/getting-started.test.ts, and by the tests of the recipes, against their own applications.
    if (file === 'docs/getting-started.md' || file.startsWith('docs/how-to/')) continue
    if (file === 'docs/live.md') continue // a stream does not end; its plugin is not in the list
    it(`succeed in ${file}, with the entity tag of the response before`, async () => {
      const { client } = await catalogue()
      markDirty()
      let etag = ''
      for (const { command } of shown) {
        const line = command
          .replaceAll('http://127.0.0.1:3000', client.url)
          .replace(/"\d+-[^"]+"/, () => etag)
          .replace(/(?<=Idempotency-Key: )[\w-]+/, randomUUID()) // test/template/documentation/guides.test.ts uses the key of the page
        const args = '--silent --output /dev/null --write-out "%{http_code} %header{etag}"'
        const { stdout } = await promisify(execFile)('sh', ['-c', line.replace('curl ', `curl ${args} `)], {
          cwd: folder,
        })
        const [status, tag] = stdout.split(' ')
        expect(Number(status), `${command}: ${stdout}`).to.be.within(200, 304)
        if (tag) etag = tag
      }
    })
  }
})

function exists(command: string): boolean {
  const script = findCommand(command)
  if (script) return known.has(script) || script in npmScripts
  const [program = '', first = ''] = command.split(' ')
  if (program === 'npx') return existsSync(join(root, 'node_modules/.bin', first))
  if (program === 'node')
    return first.startsWith('--') || existsSync(join(root, first.replace(/^\.\.\/template\//, '')))
  if (program === 'npm') return ['install', 'ci', 'audit', 'run', 'pack'].includes(first)
  const [, profile] = /--profile (\w+)/.exec(command) ?? []
  return !profile || readFileSync(join(root, 'compose.yaml'), 'utf8').includes(`[${profile}`)
}
