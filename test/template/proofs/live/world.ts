import type { DeclaredResource } from '#kernel/plugin'
import { changeLog } from '#plugins/change-log/index.ts'
import { live } from '#plugins/live/index.ts'
import type { Database } from '#store'
import { RowDenials } from '#test/conformance/leaks/row-denials.ts'
import type { TestApp } from '#test/support/app.ts'
import { softLibrary } from '#test/template/authorization/leaks-library/library.ts'
import { pluginsWithExpressions } from '#test/template/support/filterable.ts'
import type { Requester } from '../filters/check-expressions.ts'

// The types of the leak matrix as live collections: one application for each requester, over the same rows.

const place = pluginsWithExpressions.findIndex(({ name }) => name === 'responses')

export const livePlugins = [
  ...pluginsWithExpressions.slice(0, place),
  changeLog(),
  live(),
  ...pluginsWithExpressions.slice(place),
]

/** One for all processes: resources have links, and a stream is resumed if its resources are those of the other process. */
const baseUri = 'https://library.example'

const resources: readonly DeclaredResource[] = softLibrary.map(({ file, resource }) => {
  const { declaration } = resource
  const changed = {
    ...declaration,
    changes: true,
    ...(declaration.type === 'books' && { fields: withSecret(declaration) }),
  }
  return { file, resource: { ...resource, declaration: changed } }
})

type Declaration = DeclaredResource['resource']['declaration']

/** Adds an attribute that only `unrestricted` sees. */
function withSecret({ fields }: Declaration): Declaration['fields'] {
  return ((builders: never) => {
    const { string } = builders as { string: (name: string) => never }
    const secret = string('secret') as unknown as {
      nullable(): { hiddenFor(isHidden: (caller: { principal: { identifier: string } | null }) => boolean): unknown }
    }
    const isHidden = ({ principal }: { principal: { identifier: string } | null }) =>
      principal?.identifier !== 'unrestricted'
    return [...(fields(builders) as readonly unknown[]), secret.nullable().hiddenFor(isHidden)]
  }) as never
}

/** The rows of a type that a requester is denied. */
export interface DeniedRows {
  readonly requester: number
  readonly type: string
  readonly ids: readonly string[]
}

export interface World {
  /** The URLs of the applications, in the order of the requesters. */
  readonly urls: readonly string[]
  deny(denied: DeniedRows): void
  /** Runs the statements in one transaction. */
  write(statements: readonly string[]): Promise<void>
  close(): Promise<void>
}

/** Starts an application for each requester. `recheck`: seconds between two reads of a whole collection. */
export async function startWorld(
  database: Database,
  recheck: number,
  requesters: readonly Requester[],
): Promise<World> {
  const denials = requesters.map(
    ({ decision }) =>
      new RowDenials({
        resources,
        database,
        decision,
        plugins: livePlugins,
        onWrite: () => {},
        undescribed: ['default', 'admin'],
        servers: { default: { baseUri, maxIncludeDepth: 3 }, admin: { prefix: '/admin', baseUri: `${baseUri}/admin` } },
      }),
  )
  const started: TestApp[] = []
  for (const denial of denials) {
    const one = await denial.start()
    const { config } = one.app
    Object.assign(config, { variables: { ...config.variables, LIVE_RECHECK_SECONDS: recheck } })
    await one.app.start()
    await one.app.store.queue.stop()
    started.push(one)
  }
  const [first] = started as [TestApp]
  return {
    urls: started.map(({ client }) => client.url),
    deny({ requester, type: name, ids }) {
      const type = first.app.registry.types.get(name)
      const denial = requesters[requester]?.denial
      if (!type || !denial || denial === 'trashed') return
      denials[requester]?.deny(ids.length > 0 ? [type] : [], ids.map(type.codec.decode), denial)
    },
    write: (statements) =>
      first.app.store.write(async (unit) => {
        for (const statement of statements) await unit.run(statement, [])
      }),
    async close() {
      for (const one of started) await one.close()
    },
  }
}
