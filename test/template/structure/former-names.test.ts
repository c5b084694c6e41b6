import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'
import { isShipped } from '#test/template/support/shipped.ts'

// A plan decides once how rows are read and written: docs/decisions/0086 to 0089. These names belong to the ways that were
// chosen for each request before.

/** Modules of the application and of plugins. */
const formerModules = [
  'add-unread',
  'fast-entities',
  'fast-path',
  'is-single-statement',
  'resolve-scopes',
  'statement-cache',
  'statement-key',
  'update-unread',
]

/** Modules of the kernel and of the writes of the store. Other parts may have a module of this name. */
const formerModulesOfWrites = ['bulk-create', 'single-statement']

const formerIdentifiers = [
  'addMembersFast',
  'addUnread',
  'commitsAlone',
  'deleteUnread',
  'isOnlyStatement',
  'runAlone',
  'savesUnread',
  'updateUnread',
  'usesDefaultHandler',
]

/** Names that were compressed, or that named one thing in two ways. docs/glossary.md has the terms. */
const renamedIdentifiers = [
  'InertModifier',
  'OperationDraft',
  'Origin',
  'PlanDraft',
  'RelatedQuery',
  'TypePlanDraft',
  'checkedHops',
  'checksEachRow',
  'hasNoRead',
  'inertModifiers',
  'isAnsweredByRow',
  'isUnrelatedAtFirst',
  'leavesOutRows',
  'linkNeeds',
  'markKey',
  'needsPlugin',
  'noteLid',
  'ofRelationship',
  'onPass',
  'originOf',
  'placedByHand',
  'runsOf',
  'takeText',
]

const formerMembersOfPlugin = ['appliesTo', 'aroundStage', 'decorate', 'validatesStoredRow']

const sources = globSync('{app,plugins}/**/*.ts', { cwd: root }).filter(isShipped)
const read = (file: string) => readFileSync(join(root, file), 'utf8')

describe('Names of ways to read and write that plans have replaced', () => {
  it('are not the names of modules', () => {
    const found = sources.filter((file) => {
      const name = basename(file, '.ts')
      const isOfWrites = /^app\/(?:kernel|store\/write)\//.test(file) && formerModulesOfWrites.includes(name)
      return formerModules.includes(name) || isOfWrites
    })
    expect(sources).to.include('app/kernel/plan/create-plan.ts')
    expect(found).to.deep.equal([])
  })

  it('are not used in the application and in plugins', () => {
    const identifier = new RegExp(`\\b(?:${formerIdentifiers.join('|')})\\b`)
    expect(sources.filter((file) => identifier.test(read(file)))).to.deep.equal([])
  })

  it('are not used where a name that says more has replaced them', () => {
    const identifier = new RegExp(`\\b(?:${renamedIdentifiers.join('|')})\\b(?!:\\/\\/)`)
    const code = (file: string) => read(file).replace(/'[^'\n]*'|`[^`]*`|\/\/.*/g, '')
    expect(sources.filter((file) => identifier.test(code(file)))).to.deep.equal([])
  })

  it('are not members of Plugin', () => {
    const contract = read('app/kernel/contract/plugin.ts')
    const memberNamed = (name: string) => new RegExp(`^ +(?:readonly )?${name}\\b[^\\n]*[:(]`, 'm').test(contract)
    expect(['name', 'plan', 'onError', 'observer'].filter(memberNamed)).to.have.length(4)
    expect(formerMembersOfPlugin.filter(memberNamed)).to.deep.equal([])
  })
})
