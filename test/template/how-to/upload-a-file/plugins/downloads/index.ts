import createError from 'http-errors'
import type Koa from 'koa'
import { type ApiRequest, isData, listMembers, type Plugin, type ResourceType, type Row } from '#kernel/plugin'
import { routeName } from '#routes'

declare module '#kernel' {
  interface ResourceKeys<Entity> {
    /** The properties of a file, which `GET /{type}/{id}/content` sends. */
    readonly download?: Readonly<Record<'content' | 'mediaType' | 'name', keyof Entity & string>>
  }
}

/** Downloads of files that are stored in rows. A requester who may view the resource may download its file. */
export function downloads(): Plugin {
  return {
    name: 'downloads',
    keys: { download: null },

    routes(server) {
      const types = [...server.types.values()].filter(({ declaration }) => declaration.download)
      return types.map((type) => ({
        name: routeName(server, type.name, 'content'),
        methods: ['GET', 'HEAD'],
        path: `/${type.uriType}/:id/content`,
        handle: (ctx, request) => sendFile(ctx, request as ApiRequest, type),
      }))
    },
  }
}

async function sendFile(ctx: Koa.Context, request: ApiRequest, type: ResourceType): Promise<undefined> {
  const { app, server, principal } = request
  const { content, mediaType, name } = type.declaration.download as Record<'content' | 'mediaType' | 'name', string>
  // Reads the resource as the requester: 404 outside of the scope of the policy, 401 or 403 if `view` denies.
  const found = await app.dispatch({
    kind: 'FetchOne',
    server: server.name,
    type: type.name,
    id: ctx.params.id,
    principal,
  })
  const [member] = isData(found) ? listMembers(found) : []
  if (!member) throw createError(404, 'The resource does not exist.')
  const where = { [type.id.property]: member.record[type.id.property] }
  const options = { fields: [content, mediaType, name] } as object
  const file = await app.store.read(({ em }) => em.findOne<Row>(type.entity as never, where, options))
  if (!file?.[content]) throw createError(404, 'The resource has no file.')
  ctx.attachment(String(file[name])) // a browser saves the file and does not render it
  ctx.type = String(file[mediaType])
  ctx.body = file[content]
}
