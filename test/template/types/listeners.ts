import { lifecycle } from '#plugins/lifecycle/index.ts'
import { Song } from './entities.ts'

// Each event passes its own arguments to listeners.

lifecycle()
lifecycle({
  on: {
    Serving: ({ request, serverName }) => void [request.url, serverName],
    BeforeFetchCollection: ({ type }) => void type,
    AfterFetchCollection: ({ items, response }) => ({ ...response, meta: { count: items.length } }),
    AfterFetchOne: ({ entity, response }) => response && { ...response, meta: { title: entity.title } },
    BeforeFetchRelated: ({ parent, relation }) => void [parent.id, relation.name],
    BeforeFetchRelationship: [({ parent }) => void parent.id, async () => {}],
    BeforeSave({ entity, creating }) {
      if (creating && entity instanceof Song) entity.plays = 0
    },
    BeforeUpdate: ({ entity, original }) => void [entity, original.title],
    BeforeRelationshipMutate: ({ parent, linkage, mode }) => void [parent, linkage[0]?.id, mode],
    AfterCreate: async ({ context }) => {
      context.app.logger?.info({}, 'made')
    },
    AfterSave: () => ({ kind: 'none', status: 204 }),
    AfterDelete: () => ({ kind: 'meta', status: 200, meta: { gone: true } }),
    AfterRelationshipMutate: ({ relation }) => ({ kind: 'meta', status: 200, meta: { changed: relation.name } }),
  },
})

lifecycle({
  on: {
    // @ts-expect-error Object literal may only specify known properties, and 'BeforeLunch' does not exist in type
    BeforeLunch: () => undefined,
  },
})

lifecycle({
  on: {
    // @ts-expect-error Property 'type' does not exist
    Serving: ({ type }) => void type,
    // @ts-expect-error Property 'items' does not exist
    BeforeFetchCollection: ({ items }) => void items,
    // @ts-expect-error Property 'original' does not exist
    BeforeCreate: ({ original }) => void original,
    // @ts-expect-error Property 'title' does not exist
    BeforeDelete: ({ entity }) => void entity.title,
    // @ts-expect-error is not assignable to type
    AfterUpdate: () => 200,
  },
})
