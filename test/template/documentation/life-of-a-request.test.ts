import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import type { Plugin } from '#kernel/plugin'
import { root } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { readHookTable } from '#test/template/support/hook-table.ts'
import { readManifest } from '../../../scripts/manifest/manifest.ts'
import { declaringFile, pluginParts, readPluginMembers } from '../../../scripts/support/plugin-members.ts'
import { pluginsOfStage } from '../../../scripts/support/stage-plugins.ts'

// The call order and the column Transaction are compared with real requests by test/template/kernel/hooks/plugin-contract.test.ts.

/** What the page says about the types of results. */
const results: Readonly<Record<string, string>> = {
  void: 'nothing',
  'Awaitable<void>': 'nothing',
  'Optional<ApiResponse>': 'a response',
  'ErrorResponse | null': 'an error response',
  'Precondition | null': 'a precondition',
  'ResourceMeta | null': 'a function of the record',
  Validation: 'nothing',
  'SubjectCheck | InputCheck': 'a response',
  'EntityHook | RowCheckBeforeSave': 'nothing',
  Scope: 'a condition',
  RowCheck: 'nothing',
  'Awaitable<readonly boolean[]>': 'a boolean per row',
  '(() => void) | undefined': 'a function that runs after',
  'Koa.Middleware | null': 'Koa middleware',
}

const parts = [...pluginParts.filter((part) => part !== 'PluginDefinition'), 'Stages' as const, 'TypeStages' as const]
const stages = readPluginMembers('Stages').map(({ name }) => name)
const typeStages = readPluginMembers('TypeStages').map(({ name }) => name)
const hooks = parts.flatMap((part) => readPluginMembers(part).map(({ name }) => name))
const rows = readHookTable()
const requestHooks = [...readPluginMembers('RequestHooks').map(({ name }) => name), ...stages]
const callOrder = rows.map(({ hook }) => hook).filter((hook) => requestHooks.includes(hook))

describe('docs/life-of-a-request.md', () => {
  it('lists every hook, those of each part in the order of the interface', () => {
    for (const part of parts) {
      const names = readPluginMembers(part).map(({ name }) => name)
      expect(rows.map(({ hook }) => hook).filter((hook) => names.includes(hook))).to.deep.equal(names)
    }
    expect(rows.map(({ hook }) => hook)).to.have.members(hooks)
  })

  it('names under After only earlier hooks, and under Before only later ones', () => {
    const position = (hook: string) => callOrder.indexOf(hook)
    const namedIn = (text: string) => [...text.matchAll(/`(\w+)`/g)].flatMap(([, name = '']) => name)
    const misplaced = rows.flatMap(({ hook, after, before }) => [
      ...namedIn(after).filter((name) => callOrder.includes(name) && position(name) >= position(hook)),
      ...namedIn(before).filter((name) => callOrder.includes(name) && position(name) <= position(hook)),
    ])
    expect(misplaced).to.deep.equal([])
  })

  it('says for every hook what its type lets it return', () => {
    const sources = parts.map((part) => readFileSync(join(root, declaringFile(part)), 'utf8')).join('\n')
    for (const { hook, result } of rows) {
      const [, type = ''] = new RegExp(`^ {2}${hook}(?:\\??(?:<T>)?\\([\\s\\S]*?\\))?: (.+)$`, 'm').exec(sources) ?? []
      expect(results[type], `${hook}: ${type}`).to.be.a('string')
      expect(`${result};`, hook).to.satisfy((text: string) => text.startsWith(results[type] as string))
    }
  })

  it('lists the plugins of the template that implement a hook, or add a step to a stage', async () => {
    const { app } = await catalogue()
    const listed = new Set(rows.flatMap((row) => row.plugins))
    const shipped = Object.keys(readManifest(root)?.files ?? {})
    const isShipped = (name: string) => listed.has(name) || shipped.includes(`plugins/${name}/index.ts`)
    const enabled = plugins.filter(({ name }) => isShipped(name))
    for (const { hook, plugins: names } of rows) {
      const adding = stages.includes(hook) || typeStages.includes(hook) ? pluginsOfStage(app, hook) : null
      const takesPart = (plugin: Plugin) => adding?.includes(plugin.name) ?? hook in plugin
      const implementing = enabled.filter(takesPart).map(({ name }) => name)
      const present = names.filter((name) => enabled.some((plugin) => plugin.name === name))
      expect(present, hook).to.deep.equal(implementing)
    }
  })
})
