import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'
import { isShipped } from '#test/template/support/shipped.ts'

// Limits that keep every file and folder readable at once.

/** Files that are one long list. */
const lists = [
  'app/kernel/errors/core-errors.ts',
  'plugins/error-mapping/messages/jsonapi_errors.de.ts',
  'plugins/error-mapping/messages/phrases.de.ts',
]
/** The types that all layers of the kernel share, and a file per command. */
const largeFolders = ['app/kernel/model', 'scripts', 'scripts/support']

const sources = globSync('{app,plugins,scripts}/**/*.ts', { cwd: root }).filter(
  (file) => !file.endsWith('.test.ts') && isShipped(file),
)

describe('Size of sources', () => {
  it('is at most 250 lines for every file that is not a list', () => {
    const long = sources.flatMap((file) => {
      const lines = readFileSync(join(root, file), 'utf8').split('\n').length - 1
      return lines > 250 && !lists.includes(file) ? [`${file}: ${lines}`] : []
    })
    expect(long).to.deep.equal([])
  })

  it('is at most 15 files for every folder but the model of the kernel and the commands', () => {
    const folders = Map.groupBy(sources, dirname)
    const large = [...folders].filter(([folder, files]) => files.length > 15 && !largeFolders.includes(folder))
    expect(large.map(([folder, files]) => `${folder}: ${files.length}`)).to.deep.equal([])
  })
})

describe('Size of the contract of plugins', () => {
  it('is at most 25 members of Plugin, with that of the OpenAPI document', () => {
    const parts = ['PluginDefinition', 'BootHooks', 'PlanHooks', 'RequestHooks']
    const members = parts.flatMap((part) => membersOf(part, 'app/kernel/model/plugin.ts'))
    const described = membersOf('Plugin', 'app/openapi/index.ts')
    expect(described).to.deep.equal(['describe'])
    expect(members).to.include.members(['name', 'onCompile', 'planType', 'plan', 'onError'])
    expect(members.length + described.length).to.be.at.most(25)
  })

  it('is at most 20 stages, of endpoints and of resource types', () => {
    const stages = ['Stages', 'TypeStages'].flatMap((part) => membersOf(part, 'app/kernel/model/stages.ts'))
    expect(stages).to.include.members(['begin', 'beforeSend', 'scope', 'checkRows'])
    expect(stages.length).to.be.at.most(20)
  })
})

/** The names of the members of an interface. */
function membersOf(name: string, file: string): readonly string[] {
  const source = readFileSync(join(root, file), 'utf8')
  const [, indent = '', body = ''] =
    new RegExp(`^( *)(?:export )?interface ${name} \\{\n(.*?)^\\1\\}`, 'ms').exec(source) ?? []
  return [...body.matchAll(new RegExp(`^${indent}  (?:readonly )?(\\w+)\\??(?:<T>)?[:(]`, 'gm'))].map(
    ([, member = '']) => member,
  )
}
