import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import type { Plugin } from '#kernel/plugin'
import { startLibrary } from '#test/template/support/library/index.ts'

describe('A plugin with members of a former contract', () => {
  it('refuses to start and names the file and what replaces each member', async () => {
    const members = { beforeSave() {}, onLink() {}, forms: {}, decorate: (plugin: Plugin) => plugin }
    const former: Plugin = { name: 'audit', ...members }
    const error = await startLibrary({ plugins: [...plugins, former] }).catch((thrown: Error) => thrown)
    const start = "Plugin 'audit' (plugins/audit/index.ts) has the member"
    expect((error as Error).message.split('\n')).to.deep.equal([
      `${start} beforeSave, which has become plan({ kind, type, beforeSave }) { beforeSave.push(…) }.`,
      `${start} onLink, which has become planType({ type, checkRows }) { checkRows.push({ of: 'links', check: … }) }.`,
      `${start} forms, which has become keys: { name: form }.`,
      `${start} decorate, which has become observer: { step: … }.`,
    ])
  })
})
