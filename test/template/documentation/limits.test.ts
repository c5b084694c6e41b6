import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { pluginVariables, readConfig } from '#app/config.ts'
import { plugins } from '#app/plugins.ts'
import type { Plugin } from '#kernel/plugin'
import { root } from '#test/support/app.ts'
import { isShipped, shippedPlugins } from '#test/template/support/shipped.ts'
import { parseExample } from '../../../scripts/support/env-example.ts'

// Checks the table of docs/limits.md against the code.

interface Row {
  readonly value: number
  /** An environment variable, or else a name in a file. */
  readonly variable?: string
  readonly file?: string
  readonly name?: string
}

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const example = parseExample(read('.env.example'))
const rows = read('docs/limits.md').split('\n').flatMap(toRow)

/** Numbers in the environment that are not limits. */
const notLimits = ['PORT', 'WORKERS', 'METRICS_PORT', 'JOB_DELAY_SECONDS', 'SLOW_REQUEST_MS', 'TRACING_RATIO']

describe('docs/limits.md', () => {
  it('lists the default of every variable that is a limit', () => {
    const documented = Object.fromEntries(rows.flatMap(({ variable, value }) => (variable ? [[variable, value]] : [])))
    const limits = Object.entries(example).filter(
      ([name, value]) => /^\d+$/.test(value ?? '') && !notLimits.includes(name),
    )
    expect(documented).to.deep.equal(Object.fromEntries(limits.map(([name, value]) => [name, Number(value)])))
  })

  for (const { file, name, value } of rows.filter((row) => row.file)) {
    it(`lists the value of ${name} in ${file}`, () => {
      const found = [...read(file as string).matchAll(new RegExp(`\\b${name}(?::| =) ([\\d_]+)`, 'g'))]
      expect(found).not.to.deep.equal([])
      for (const [, text = ''] of found) expect(Number(text.replaceAll('_', ''))).to.equal(value)
    })
  }
})

describe('.env.example', () => {
  it('shows the defaults of a setup with a database server', () => {
    const schemas = pluginVariables(plugins, {})
    const server = { DATABASE_URL: 'postgres://database/app' }
    expect(readConfig({ ...example, ...server }, schemas)).to.deep.equal(readConfig(server, schemas))
  })

  it('sets ten variables, and has the others commented out below the plugin that declares them', async () => {
    const [first = '', ...sections] = read('.env.example').split(/^(?=## )/m)
    expect(Object.keys(parseExample(first)))
      .to.deep.equal(first.match(/^[A-Z_]+(?==)/gm))
      .and.to.have.length(10)
    expect(sections.join('').match(/^[A-Z_]+=/gm)).to.equal(null)
    const plugins = [...shippedPlugins, ...(await createOptional())]
    const optional = [...read('app/plugins.ts').matchAll(/^\/\/ import .* from '#plugins\/([\w-]+)\//gm)].map(
      ([, name]) => name,
    )
    for (const section of sections.slice(1)) {
      const [, name, note = ''] = /^## Plugin ([\w-]+)(.*)\n/.exec(section) ?? []
      const { environment } = plugins.find((plugin) => plugin.name === name) ?? {}
      expect(Object.keys(environment ?? {}), name).to.include.members(Object.keys(parseExample(section)))
      expect(note, name).to.equal(optional.includes(name) ? ' (not enabled by default)' : '')
    }
  })

  it('lists every variable of a plugin, also of those that are not enabled', async () => {
    const variables = Object.keys(pluginVariables([...shippedPlugins, ...(await createOptional())], {}))
    expect(variables.filter((name) => !Object.hasOwn(example, name))).to.deep.equal([])
  })

  it('shows the defaults of the plugins that are not enabled', async () => {
    const schemas = pluginVariables(await createOptional(), {})
    expect(readConfig(example, schemas).variables).to.deep.equal(readConfig({}, schemas).variables)
  })
})

/** Creates the plugins whose lines in app/plugins.ts are commented out. */
function createOptional(): Promise<Plugin[]> {
  const lines = [...read('app/plugins.ts').matchAll(/^\/\/ import \{ (\w+).*\} from '#(plugins\/.+)'$/gm)]
  const shipped = lines.filter(([, , file = '']) => isShipped(file))
  return Promise.all(shipped.map(async ([, name = '', file = '']) => (await import(join(root, file)))[name]()))
}

function toRow(line: string): Row[] {
  const [, , value = '', by = ''] = line.split('|').map((cell) => cell.trim())
  if (!/^\d+$/.test(value)) return []
  const [first = '', name] = [...by.matchAll(/`([^`]+)`/g)].map(([, word]) => word as string)
  return [name === undefined ? { value: Number(value), variable: first } : { value: Number(value), file: first, name }]
}
