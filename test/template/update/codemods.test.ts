import { expect } from 'chai'
import { rewrite } from '../../../.template/codemods/0.2.0.ts'

describe('.template/codemods/0.2.0.ts', () => {
  it('renames the hooks and types of a plugin, and nothing else', () => {
    const plugin = `import { type Known, need, type Plugin, type Rec } from '#kernel/plugin'

export function audit(): Plugin {
  return {
    name: 'audit',
    joins: (type, moment) => moment === 'onWrite' || type.name === 'Reading',
    onMatch(known: Known) {
      known.server?.onSend()
    },
    async onWrite(operation, entity) {
      need(operation.query, operation.type, ['id'])
      operation.unit.onCommit(() => log(entity as Rec))
    },
  }
}
`
    expect(rewrite(plugin)).to.equal(`import { type Exchange, type Plugin, type Row } from '#kernel/plugin'
import { addNeeds } from '#kernel/queries'

export function audit(): Plugin {
  return {
    name: 'audit',
    appliesTo: (type, moment) => moment === 'beforeSave' || type.name === 'Reading',
    onRoute(known: Exchange) {
      known.server?.onSend()
    },
    async beforeSave(operation, entity) {
      addNeeds(operation.query, operation.type, ['id'])
      operation.unit.onCommit(() => log(entity as Row))
    },
  }
}
`)
  })

  it('changes nothing when it is applied again', () => {
    const once = rewrite(
      `import type { Plugin } from '#kernel/plugin'\nexport const late: Plugin = { name: 'late', onCommit: log }\n`,
    )
    expect(once).to.include(`{ name: 'late', afterCommit: log }`)
    expect(rewrite(once)).to.equal(once)
  })

  it('imports names from the entry point that has them', () => {
    const source = `import { compare, defineError, type OperationDraft, type Plugin } from '#kernel/plugin'\n`
    const instead = [
      `import { defineError } from '#kernel/errors'`,
      `import { type PlannedOperation, type Plugin } from '#kernel/plugin'`,
      `import { compare } from '#kernel/queries'`,
    ]
    expect(rewrite(source)).to.equal(`${instead.join('\n')}\n`)
    expect(rewrite(rewrite(source))).to.equal(rewrite(source))
  })

  it('leaves a file without imports of the kernel as it is', () => {
    const source = `const need = 1\nexport const view = { onRead() {}, joins: [need] }\n`
    expect(rewrite(source)).to.equal(source)
  })
})
