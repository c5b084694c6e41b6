import type { App, OperationKind } from '#kernel/plugin'

const kinds: readonly (OperationKind | null)[] = [
  'FetchCollection',
  'FetchOne',
  'FetchRelated',
  'FetchRelationship',
  'Create',
  'Update',
  'Delete',
  'UpdateRelationship',
  null,
]

/** The names of the plugins that add steps to a stage of a type, or of an endpoint, of the application. */
export function pluginsOfStage(app: App, stage: string): readonly string[] {
  const { plans, registry, servers } = app
  const ofTypes = [...registry.types.values()].map(({ steps }) => steps.plugins)
  const ofEndpoints = servers.flatMap((server) =>
    [...server.types.values()].flatMap((type) => {
      const targets = [
        ...kinds.map((kind) => ({ kind, target: { type } })),
        ...type.actions.map((action) => ({ kind: 'Action' as const, target: { type, action } })),
      ]
      return targets.flatMap((endpoint) =>
        [[], server.profiles].map(
          (profiles) => plans.ofEndpoint(app, { ...endpoint, server, profiles: new Set(profiles) }).plugins,
        ),
      )
    }),
  )
  const lists: readonly Readonly<Record<string, readonly string[]>>[] = [...ofTypes, ...ofEndpoints]
  const adding = new Set(lists.flatMap((plugins) => plugins[stage] ?? []))
  return app.plugins.map(({ name }) => name).filter((name) => adding.has(name))
}
