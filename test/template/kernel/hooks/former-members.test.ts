import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import type { Plugin } from '#kernel/plugin'
import { startLibrary } from '#test/template/support/library/index.ts'

const ofPlan = (stage: string) => new RegExp(`^plan\\(\\{ kind, type, ${stage} \\}\\) \\{ ${stage}\\.push\\(`)
const ofType = (stage: string) => new RegExp(`^planType\\(\\{ type, ${stage} \\}\\) \\{ ${stage}\\.push\\(`)

/** The members of plugins of earlier versions that are no longer called, and the beginning of what the message names in their place. */
const formerMembers: Readonly<Record<string, RegExp>> = {
  // hooks of requests
  onRequest: ofPlan('begin'),
  beforeOperations: ofPlan('authorize'),
  onTransaction: ofPlan('transaction'),
  precondition: ofPlan('precondition'),
  onSubjectLoaded: ofPlan('check'),
  onValidate: ofPlan('validate'),
  beforeAction: ofPlan('beforeSave'),
  beforeSave: ofPlan('beforeSave'),
  afterSave: ofPlan('afterSave'),
  afterRead: ofPlan('afterOperation'),
  afterWrite: ofPlan('afterOperation'),
  beforeCommit: ofPlan('transaction'),
  afterCommit: ofPlan('afterCommit'),
  resourceMeta: ofPlan('meta'),
  onDocument: ofPlan('document'),
  onResponse: ofPlan('respond'),
  beforeSend: ofPlan('beforeSend'),
  // hooks of rows
  scope: ofType('scope'),
  showsType: ofType('scope'),
  writeScope: ofType('scope'),
  onMembers: ofType('checkRows'),
  onLink: ofType('checkRows'),
  onRowsWritten: ofType('checkRows'),
  allows: ofType('allows'),
  filterRows: ofType('filterRows'),
  beforeRelationLoad: ofType('beforeRelationLoad'),
  beforeRender: ofType('beforeRender'),
  // hints
  appliesTo: /^a condition in planType or plan/,
  validatesStoredRow: ofPlan('validate'),
  // hooks of the boot, and around others
  forms: /^keys: /,
  dormant: /^npm run doctor/,
  listParameters: /^parameters: /,
  onCompiled: /^a function that onCompile returns/,
  warnings: /^onCompile\(registry\) \{ registry\.warn/,
  hints: /^setup\(app\) \{ app\.hints\.push/,
  decorate: /^observer: \{ step/,
  aroundStage: /^observer: \{ around/,
  // of version 0.1
  onMatch: /^onRoute\.$/,
  onServe: ofPlan('authorize'),
  onSubject: ofPlan('check'),
  onInput: ofPlan('validate'),
  onWrite: ofPlan('beforeSave'),
  onSaved: ofPlan('afterSave'),
  onRead: ofPlan('afterOperation'),
  onRelation: ofType('beforeRelationLoad'),
  onCommit: ofPlan('afterCommit'),
  onSend: ofPlan('respond'),
  joins: /^a condition in planType or plan/,
}

describe('A plugin with members of a former contract', () => {
  const messagesFor = async (members: object): Promise<readonly string[]> => {
    const former: Plugin = { name: 'audit', ...members }
    const error = await startLibrary({ plugins: [...plugins, former] }).catch((thrown: Error) => thrown)
    return (error as Error).message.split('\n')
  }

  for (const [member, replacement] of Object.entries(formerMembers)) {
    it(`refuses to start and names the file and what replaces ${member}`, async () => {
      const start = `Plugin 'audit' (plugins/audit/index.ts) has the member ${member}, which has become `
      const [message = '', ...others] = await messagesFor({ [member]() {} })
      expect(others).to.deep.equal([])
      expect(message.slice(0, start.length)).to.equal(start)
      expect(message.slice(start.length)).to.match(replacement)
    })
  }

  it('gets one message for each member', async () => {
    expect(await messagesFor({ beforeSave() {}, onLink() {}, decorate: (plugin: Plugin) => plugin })).to.deep.equal([
      "Plugin 'audit' (plugins/audit/index.ts) has the member beforeSave, which has become plan({ kind, type, beforeSave }) { beforeSave.push(…) }.",
      "Plugin 'audit' (plugins/audit/index.ts) has the member onLink, which has become planType({ type, checkRows }) { checkRows.push({ of: 'links', check: … }) }.",
      "Plugin 'audit' (plugins/audit/index.ts) has the member decorate, which has become observer: { step: … }.",
    ])
  })
})
