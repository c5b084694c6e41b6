import { defineEntity, type EntityName, p } from '@mikro-orm/core'
import { defineResource, type ResourceDeclaration } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import { open } from '#plugins/authorization/index.ts'
import type { TestApp, TestAppOptions } from '#test/support/app.ts'
import { pluginsWithTokens } from '#test/support/principals.ts'
import { Tag } from './entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from './index.ts'

// Index cards with soft deletes: in decks that delete orphans, with tags, and with marks whose foreign keys do not cascade.

const deckSchema = defineEntity({
  name: 'Deck',
  tableName: 'decks',
  properties: {
    id: p.integer().primary(),
    name: p.text(),
    cards: () => p.oneToMany(Card).mappedBy('deck').orphanRemoval(),
  },
})
export class Deck extends deckSchema.class {}
deckSchema.setClass(Deck)

const cardSchema = defineEntity({
  name: 'Card',
  tableName: 'cards',
  uniques: [{ name: 'cards_code_unique', properties: ['code'], where: 'deleted_at is null' }],
  properties: {
    id: p.integer().primary(),
    code: p.text(),
    handle: p.text().nullable(),
    deletedAt: p.datetime(3).nullable(),
    count: p.integer().nullable(),
    deck: () => p.manyToOne(Deck).ref().nullable().index(),
    parent: () => p.manyToOne(Card).ref().nullable().index(),
    tags: () => p.manyToMany(Tag).owner().pivotTable('card_tags'),
    marked: () =>
      p
        .manyToMany(Tag)
        .owner()
        .pivotEntity((): EntityName => CardMark),
  },
})
export class Card extends cardSchema.class {}
cardSchema.setClass(Card)

const markSchema = defineEntity({
  name: 'CardMark',
  tableName: 'card_marks',
  properties: {
    id: p.integer().primary(),
    card: () => p.manyToOne(Card).ref().index().deleteRule('no action'),
    tag: () => p.manyToOne(Tag).ref().index().deleteRule('no action'),
    place: p.integer().default(1),
  },
})
export class CardMark extends markSchema.class {}
markSchema.setClass(CardMark)

export type CardOverrides = Partial<ResourceDeclaration<Card>>

/** Cards with soft deletes and the given keys, their decks and tags. */
export function cardsWith(overrides: CardOverrides): readonly DeclaredResource[] {
  const cards = defineResource(Card, {
    type: 'cards',
    fields: ({ id, string, belongsTo, belongsToMany }) => [
      id(),
      string('code').required().sortable(),
      string('handle').nullable().uniqueEntity(['handle']),
      belongsTo('deck', 'decks'),
      belongsTo('parent', 'cards'),
      belongsToMany('tags', 'tags').countable(),
      belongsToMany('marked', 'tags').through(CardMark),
    ],
    filters: ({ where }) => [where('code')],
    policy: open,
    softDeletes: true,
    countable: true,
    ...overrides,
  })
  const decks = defineResource(Deck, {
    type: 'decks',
    fields: ({ id, string, hasMany }) => [id(), string('name').required(), hasMany('cards', 'cards').countable()],
    policy: open,
  })
  const tags = defineResource(Tag, {
    type: 'tags',
    fields: ({ id, string }) => [id().uuid().generated(), string('name')],
    policy: open,
  })
  return [cards, decks, tags].map((resource) => ({ file: `${resource.declaration.type}.ts`, resource }))
}

export const redTag = '11111111-1111-4111-8111-111111111111'

/** Starts the library with the cards `a`, `b` and `c` of one deck; `a` has a tag and a mark, `b` is a child of `a`. */
export async function startCards(overrides: CardOverrides = {}, options: TestAppOptions = {}): Promise<TestApp> {
  await emptyLibrary()
  const connection = (await libraryDatabase()).orm.em.getConnection()
  for (const sql of [
    `insert into decks (name) values ('First'), ('Second')`,
    `insert into tags (id, name) values ('${redTag}', 'red')`,
    `insert into cards (code, handle, deck_id, parent_id) values ('a', 'alpha', 1, null), ('b', 'beta', 1, 1), ('c', null, 1, null)`,
    `insert into card_tags (card_id, tag_id) values (1, '${redTag}')`,
    `insert into card_marks (card_id, tag_id) values (1, '${redTag}')`,
  ]) {
    await connection.execute(sql)
  }
  return startLibrary({ resources: cardsWith(overrides), plugins: pluginsWithTokens('ada', 'ben'), ...options })
}
