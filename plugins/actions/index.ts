import Joi from 'joi'
import { formText } from '#kernel/errors'
import { type App, BootError, type Plugin } from '#kernel/plugin'
import { addNeeds, wholeRow } from '#kernel/queries'
import { type CompiledAction, compileActions } from './compile.ts'
import type { ActionBuilders, DeclaredAction } from './declare.ts'
import { describeActions } from './describe.ts'
import { actionNotFound } from './errors.ts'
import { createLinkStep } from './links.ts'
import { actionsOn, listRoutes } from './routes.ts'

export { data, error, meta, noContent, seeOther } from './answers.ts'
export { type ActionDefinition, addAction } from './compile.ts'
export { type ActionContext, type ActionOptions, type DeclaredAction, defineAction } from './declare.ts'
export type { RawInput } from './raw-body.ts'

declare module '#kernel' {
  interface ResourceKeys<Entity> {
    /** Operations beside the five of JSON:API, at `/{type}/{id}/-actions/{name}` or `/{type}/-actions/{name}`. */
    readonly actions?: (builders: ActionBuilders<NoInfer<Entity>>) => readonly DeclaredAction[]
  }
}

/** Custom actions of resources and collections. */
export function actions(): Plugin {
  return {
    name: 'actions',
    keys: {
      actions: Joi.function().messages(formText('is a function: ({ action }) => [action(name, { … })]')),
    },
    errors: [actionNotFound.definition],

    onCompile(registry) {
      for (const type of registry.types.values()) compileActions(type, registry)
    },

    setup: requireJobs,

    routes: listRoutes,

    /** A handler receives the whole record. */
    onQuery({ target: { type, action } }, query) {
      if (action?.on === 'resource' && action.method === 'GET') addNeeds(query, type, wholeRow(type))
    },

    planType({ type, beforeRender }) {
      const linked = type.actions.filter(({ isLinked }) => isLinked)
      if (linked.length > 0) beforeRender.push(createLinkStep(linked as CompiledAction[]))
    },

    describe: describeActions,
  }
}

/** Throws if an action answers 202, but no plugin runs jobs. */
function requireJobs({ servers, plugins }: App): void {
  if (plugins.some(({ name }) => name === 'async-writes')) return
  const all = new Set(
    servers.flatMap((server) => [...server.types.values()].flatMap((type) => actionsOn(type, server))),
  )
  const faults = [...all]
    .filter(({ job }: CompiledAction) => job)
    .map(
      ({ name, type }) =>
        `${type.name}.actions.${name} (${type.file}): { accepted } needs the plugin 'async-writes', which is off.`,
    )
  if (faults.length > 0) throw new BootError(faults)
}
