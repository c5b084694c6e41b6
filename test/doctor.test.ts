import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { appConfig, readConfig } from '#app/config.ts'
import { plugins } from '#app/plugins.ts'
import { type App, createApp, defineResource, type Plugin } from '#kernel'
import { createStore, mapEntities } from '#store'
import { dormantUses, inertUses } from '../scripts/support/findings.ts'
import { root } from './support/app.ts'
import { Book, Label, Shelf, Tag } from './support/library/entities.ts'

describe('npm run doctor', () => {
  it('says what is declared without an effect, and ends well', async () => {
    const { code, lines } = await run()
    expect(code).to.equal(0)
    expect(lines[0]).to.match(/^The application would start: \d+ types, \d+ plugins\.$/)
    for (const title of ['Declared, but not in effect yet', 'Declared, but inert', 'Allowed, but hardly meant']) {
      expect(lines.filter((line) => line.startsWith(title))).to.have.length(1)
    }
    expect(lines.join()).not.to.include('async-writes')
  })

  it('lists what a plugin that is off leaves inert', async () => {
    const { code, lines } = await run({ DISABLED_PLUGINS: 'validation,http-headers' })
    expect(code).to.equal(0)
    expect(lines.map(toCells)).to.include.deep.members([
      ['devices', 'sunset', 'resources/devices/resource.ts'],
      ['albums.title', 'required()', 'resources/albums/resource.ts'],
    ])
  })

  it('ends badly with every reason why the application would not start', async () => {
    const { code, lines } = await run({ DISABLED_PLUGINS: 'polls,polling' })
    expect(code).to.equal(1)
    expect(lines).to.deep.equal([
      "DISABLED_PLUGINS names 'polls', which is not a plugin.",
      "DISABLED_PLUGINS names 'polling', which is not a plugin.",
    ])
  })

  it('ends badly when the environment is not usable', async () => {
    const { code, lines } = await run({ PORT: 'none', LOG_LEVEL: 'loud' })
    expect(code).to.equal(1)
    expect(lines).to.have.length(3)
  })
})

describe('findings', () => {
  it('name every word and key that waits, wherever it stands, and the plugin it waits for', async () => {
    const app = await library([...plugins, sleepy])
    const found = dormantUses(app)
    expect(found.map(({ member, word }) => `${member} ${word}`)).to.deep.equal([
      'books lullaby',
      'books.title snooze()',
      'books.info.secret snooze()',
      'books.shelf relationOnly()',
    ])
    expect(found[0]).to.deep.equal({ member: 'books', word: 'lullaby', plugin: 'sleepy', file: 'books.ts' })
    expect(inertUses(app)).to.deep.equal([])
  })

  it('name every word and key that nobody understands', async () => {
    const found = inertUses(await library(plugins))
    expect(found.map(({ member, word }) => `${member} ${word}`)).to.deep.equal([
      'books lullaby',
      'books.title snooze()',
      'books.title relationOnly()',
      'books.info.secret snooze()',
      'books.shelf relationOnly()',
    ])
  })
})

describe('plugins', () => {
  it('say of words, keys and values of their own that they wait', async () => {
    for (const { name, dormant = [], keys = [], modifiers = {} } of plugins) {
      const words = { attribute: modifiers.attribute ?? {}, relation: modifiers.relation ?? {} }
      for (const entry of dormant) {
        const [word = '', role = ''] = entry.split('.').reverse()
        const tables = role ? [words[role as 'attribute' | 'relation']] : Object.values(words)
        const values = role === 'value' ? await import(`#plugins/${name}/index.ts`) : {}
        const isOwn = keys.includes(entry) || word in values || tables.some((table) => table && word in table)
        expect(isOwn, `${name}: ${entry}`).to.equal(true)
      }
    }
  })
})

/** Understands two words and a key, and does nothing with them. */
const sleepy: Plugin = {
  name: 'sleepy',
  keys: ['lullaby'],
  modifiers: {
    attribute: { snooze: () => ({}), relationOnly: () => ({}) },
    relation: { relationOnly: () => ({}) },
  },
  dormant: ['snooze', 'relation.relationOnly', 'lullaby'],
}

// biome-ignore lint/suspicious/noExplicitAny: the words of the sleepy plugin are not known to the compiler
type Words = any

async function library(list: readonly Plugin[]): Promise<App> {
  const declaration: Words = {
    type: 'books',
    lullaby: true,
    fields: (words: Words) => [
      words.id(),
      words.string('title').snooze().snooze().relationOnly(),
      words.map('info', words.string('secret').snooze()),
      words.belongsTo('shelf', 'shelves').relationOnly(),
    ],
  }
  const books = defineResource(Book, declaration)
  const shelves = defineResource(Shelf, { type: 'shelves', fields: ({ id }) => [id()] })
  return createApp({
    config: appConfig(readConfig({})),
    plugins: list,
    resources: [books, shelves].map((resource) => ({ file: `${resource.declaration.type}.ts`, resource })),
    servers: { default: {} },
    store: createStore({ orm: await mapEntities([Book, Shelf, Label, Tag]) }),
  })
}

/** Runs the script on the project's own settings, whatever the environment of the tests. */
async function run(env: Record<string, string> = {}): Promise<{ code: number; lines: readonly string[] }> {
  const settings = { ...process.env, DATABASE_URL: '', DISABLED_PLUGINS: '', ...env }
  const { stdout, stderr, code } = await promisify(execFile)(process.execPath, [join(root, 'scripts/doctor.ts')], {
    cwd: root,
    env: settings,
  }).then(
    (done) => ({ ...done, code: 0 }),
    (error) => error as { stdout: string; stderr: string; code: number },
  )
  return { code, lines: (stdout + stderr).trimEnd().split('\n') }
}

function toCells(line: string): string[] {
  return line.trim().split(/ {2,}/)
}
