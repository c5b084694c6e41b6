import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'

describe('Size of the contract of plugins', () => {
  it('is at most 25 members of Plugin, with that of the OpenAPI document', () => {
    const parts = ['PluginDefinition', 'BootHooks', 'PlanHooks', 'RequestHooks']
    const members = parts.flatMap((part) => interfaceMembers(part, 'app/kernel/contract/plugin.ts'))
    const described = interfaceMembers('Plugin', 'app/openapi/index.ts')
    expect(described).to.deep.equal(['describe'])
    expect(members).to.include.members(['name', 'onCompile', 'planType', 'plan', 'onError'])
    expect(members.length + described.length).to.be.at.most(25)
  })

  it('is at most 20 stages, of endpoints and of resource types', () => {
    const stages = ['Stages', 'TypeStages'].flatMap((part) => interfaceMembers(part, 'app/kernel/contract/stages.ts'))
    expect(stages).to.include.members(['begin', 'beforeSend', 'scope', 'checkRows'])
    expect(stages.length).to.be.at.most(20)
  })
})

/** The names of the members of an interface. */
function interfaceMembers(name: string, file: string): readonly string[] {
  const source = readFileSync(join(root, file), 'utf8')
  const [, indent = '', body = ''] =
    new RegExp(`^( *)(?:export )?interface ${name} \\{\n(.*?)^\\1\\}`, 'ms').exec(source) ?? []
  return [...body.matchAll(new RegExp(`^${indent}  (?:readonly )?(\\w+)\\??(?:<T>)?[:(]`, 'gm'))].map(
    ([, member = '']) => member,
  )
}
