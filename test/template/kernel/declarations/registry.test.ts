import { defineEntity, type EntityClass, type EntityName, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { appConfig, readConfig } from '#app/config.ts'
import { createApp } from '#app/kernel/boot/create-app.ts'
import { plugins } from '#app/plugins.ts'
import { createHttp } from '#http'
import { defineType, type Resource } from '#kernel'
import { BootError, type DeclaredResource, type Logger, type Plugin, type ServerOptions } from '#kernel/plugin'
import { memoryStore } from '#memory'
import { accepted, defineJob, seeOther } from '#plugins/async-writes/index.ts'
import { open, Policy } from '#plugins/authorization/index.ts'
import { cursor, menu, page } from '#plugins/pagination/index.ts'
import { created, metaResult, noContent, ok } from '#plugins/responses/index.ts'
import { shape } from '#plugins/validation/index.ts'
import { programMembers } from '#program'
import { createStore, mapEntities } from '#store'
import { Book, Label, Shelf, Tag } from '#test/template/support/library/entities.ts'

// Faults of declarations stop the boot. The compiler rejects most of them, too; these declarations avoid the compiler
// with casts.

const goodSchema = defineEntity({ name: 'Good', properties: { id: p.integer().primary() } })
class Good extends goodSchema.class {}
goodSchema.setClass(Good)

const sellerSchema = defineEntity({
  name: 'Seller',
  properties: {
    id: p.integer().primary(),
    goods: () =>
      p
        .manyToMany(Good)
        .owner()
        .pivotEntity((): EntityName => Stock),
  },
})
class Seller extends sellerSchema.class {}
sellerSchema.setClass(Seller)

const stockSchema = defineEntity({
  name: 'Stock',
  properties: {
    seller: () => p.manyToOne(Seller).primary(),
    good: () => p.manyToOne(Good).primary(),
    amount: p.integer(),
  },
})
class Stock extends stockSchema.class {}
stockSchema.setClass(Stock)

describe('Boot checks of a type', () => {
  it('report a type without exactly one id', async () => {
    expect(await listBootFaults(tags({ fields: () => [] }))).to.deep.equal([
      'tags (tags.ts): A resource has exactly one id field; this one has 0.',
    ])
    expect(await listBootFaults(tags({ fields: ({ id }) => [id(), id()] }))).to.deep.equal([
      'tags (tags.ts): A resource has exactly one id field; this one has 2.',
    ])
  })

  it('report generated() for a format without a generator', async () => {
    const generating = (format: (id: Builders) => Builders) =>
      listBootFaults(tags({ fields: ({ id }) => [format(id()).generated()] }))
    const sentence =
      'tags.id (tags.ts): generated() needs a format that can make ids by itself: uuid(), uuid(4), uuid(7) or ulid().'
    for (const format of [
      (id: Builders) => id,
      (id: Builders) => id.numeric(),
      (id: Builders) => id.uuid(1),
      (id: Builders) => id.uuid().pattern('[a-z]+'),
      (id: Builders) => id.ulid().numeric(),
      (id: Builders) => id.matchAs('[a-z]+'),
    ]) {
      expect(await generating(format), format.toString()).to.deep.equal([sentence])
    }
    for (const format of [
      (id: Builders) => id.uuid(),
      (id: Builders) => id.uuid(4),
      (id: Builders) => id.uuid(7),
      (id: Builders) => id.ulid().matchAs('[0-9A-Z]+'),
    ]) {
      expect(await generating(format), format.toString()).to.deep.equal([])
    }
  })

  it('report generated() for ids that matchAs() rejects', async () => {
    const declared = tags({ fields: ({ id }) => [id().uuid().matchAs('[0-9]+').generated()] })
    expect(await listBootFaults(declared)).to.deep.equal([
      'tags.id (tags.ts): generated() makes ids that matchAs() rejects.',
    ])
  })

  it('report a type that is declared twice', async () => {
    const twin = { ...tags(), file: 'twin.ts' }
    expect(await listBootFaults(tags(), twin)).to.deep.equal([
      "tags (twin.ts): The type 'tags' is also declared in tags.ts.",
    ])
  })

  it('report an illegal type name', async () => {
    expect(await listBootFaults(tags({ type: '-tags', uriType: 'tags' }))).to.deep.equal([
      "-tags (tags.ts): '-tags' is not a legal type name.",
    ])
  })

  for (const segment of ['-tags', 'a/b', 'a?b', '']) {
    it(`report the URL segment '${segment}'`, async () => {
      expect(await listBootFaults(tags({ uriType: segment }))).to.deep.equal([
        `tags (tags.ts): '${segment}' cannot be a URL segment.`,
      ])
    })
  }

  it('report an unknown server', async () => {
    expect(await listBootFaults(tags({ server: ['default', 'adnim'] }))).to.deep.equal([
      "tags (tags.ts): There is no server called 'adnim'.",
    ])
  })

  it('report readOnly together with operations', async () => {
    expect(await listBootFaults(tags({ readOnly: true, operations: ['FetchOne'] }))).to.deep.equal([
      "tags (tags.ts): Declare either 'readOnly' or 'operations', not both.",
    ])
    expect(await listBootFaults(tags({ readOnly: true, operations: [] }))).to.deep.equal([])
  })

  it('report an entity that no entity.ts exports', async () => {
    class Unknown {}
    const declared = resource(Unknown, 'tags', {
      fields: ({ id, string, hasMany }) => [id(), string('name'), hasMany('tags', 'tags')],
    })
    expect(await listBootFaults(declared)).to.deep.equal(['tags (tags.ts): No entity.ts exports the entity Unknown.'])
  })
})

describe('Boot checks of a declaration that no compiler has checked', () => {
  const accepted = "Accepted: a list of FetchCollection, FetchOne, Create, Update, Delete, or 'none'."

  it('report a module that exports no resource', async () => {
    for (const resource of [undefined, null, {}, 'tags', { entity: Tag }]) {
      const declared = { file: 'tags.ts', resource } as unknown as DeclaredResource
      expect(await listBootFaults(declared, labels()), JSON.stringify(resource)).to.deep.equal([
        'tags.ts: It exports no resource: use defineResource() or defineType().',
      ])
    }
  })

  it('report unknown modifiers and keys, with the nearest name that is accepted', async () => {
    const declared = tags({
      filter: () => [],
      lullaby: true,
      fields: ({ id, string, obj, hasMany }: Builders) => [
        id().uuidd(),
        string('name').maxLenght(200).sortable(),
        obj('info', string('secret').hiden()).computed().readOnly(),
        hasMany('books', 'tags').maxLength(3).computedd(),
      ],
    } as never)
    const faults = await listBootFaults(declared)
    expect(faults.filter((fault) => /modifier|key of/.test(fault))).to.deep.equal([
      "tags.filter (tags.ts): 'filter' is not a key of a declaration. Did you mean 'filters'?",
      "tags.lullaby (tags.ts): 'lullaby' is not a key of a declaration. No plugin defines it.",
      "tags.id (tags.ts): uuidd() is not a modifier of ids. Did you mean 'uuid'?",
      "tags.name (tags.ts): maxLenght() is not a modifier of attributes. Did you mean 'maxLength'?",
      "tags.info.secret (tags.ts): hiden() is not a modifier of attributes. Did you mean 'hidden'?",
      'tags.books (tags.ts): maxLength() is not a modifier of relations. No plugin defines it.',
      'tags.books (tags.ts): computedd() is not a modifier of relations. No plugin defines it.',
    ])
  })

  it('suggest the nearest accepted name for an unknown one', async () => {
    const declared = books({
      fields: ({ id, string, belongsTo, belongsToMany }: Builders) => [
        id(),
        string('titel'),
        string('heading').storedAs('title').compareWith('titl', 'EqualTo').uniqueEntity(['headin']),
        string('place').storedAs('nmae').on('shelf'),
        belongsTo('shelv', 'shelves'),
        belongsTo('shelf', 'shelvs'),
        belongsToMany('tags', 'tags'),
      ],
      filters: ({ where, whereHas, custom }: Builders) => [
        where('positoin'),
        whereHas('tag'),
        custom('q').handledBy('serach', 'title'),
      ],
      sorts: { rank: 'positoin' },
      defaultSort: ['-ranks'],
      defaultIncludes: ['tag'],
    })
    const faults = await listBootFaults(declared, shelves(), tags())
    expect(faults.filter((fault) => fault.includes('Did you mean'))).to.have.members([
      "books.titel (books.ts): Book has no property 'titel' that could be an attribute. Did you mean 'title'?",
      "books.heading (books.ts): compareWith() names 'titl', which is not a sibling field. Did you mean 'titel'?",
      "books.heading (books.ts): uniqueEntity() names 'headin', which is not a stored attribute. Did you mean 'heading'?",
      "books.shelv (books.ts): Book has no property 'shelv' that is a belongsTo. Did you mean 'shelf'?",
      "books.shelf (books.ts): There is no resource type 'shelvs'. Did you mean 'shelves'?",
      "books.filters (books.ts): The filter 'positoin' reads 'positoin', which is not a property of Book. Did you mean 'position'?",
      "books.filters (books.ts): The filter 'tag' reads 'tag', which is not a relation of 'books'. Did you mean 'tags'?",
      "books.filters (books.ts): The filter 'q' names the handler 'serach', which is not passed to filtering({ handlers }). Did you mean 'search'?",
      "books.rank (books.ts): The sort 'rank' names 'positoin', which is not a property of Book. Did you mean 'position'?",
      "books (books.ts): The default include 'tag' is not a relation of this type. Did you mean 'tags'?",
    ])
  })

  it('suggest the nearest name for an operation, a server, and the end of on()', async () => {
    const fields = ({ id, string, belongsTo }: Builders) => [
      id(),
      string('place').storedAs('nmae').on('shelf').readOnly(),
      belongsTo('shelf', 'shelves'),
    ]
    const faults = await listBootFaults(
      books({ fields, operations: ['FetchOnes'], defaultSort: ['-tite'], server: 'admni' }),
      shelves(),
    )
    expect(faults).to.include.members([
      "books.operations (books.ts): 'FetchOnes' is not an operation. Accepted: a list of FetchCollection, FetchOne, Create, Update, Delete, or 'none'. Did you mean 'FetchOne'?",
      "books (books.ts): There is no server called 'admni'. Did you mean 'admin'?",
      "books.place (books.ts): Shelf has no property 'nmae' that could be an attribute. Did you mean 'name'?",
    ])
  })

  it('report a missing type', async () => {
    for (const type of [undefined, null, 5]) {
      const declared = { ...tags({ type: type as never }), file: 'tags.ts' }
      expect(await listBootFaults(declared)).to.deep.equal([
        "type (tags.ts): A declaration has a type, such as 'albums'.",
      ])
    }
  })

  it('report filters and actions that throw', async () => {
    const declared = tags({
      filters: ({ boolaen }: Builders) => [boolaen('name')],
      actions: ({ acton }: Builders) => [acton('rename', {})],
    } as never)
    expect(await listBootFaults(declared)).to.have.members([
      'tags.filters (tags.ts): The function throws: boolaen is not a function',
      'tags.actions (tags.ts): The function throws: acton is not a function',
    ])
  })

  it('report fields that are missing, throw, or are not made by builders', async () => {
    const fieldsFault = (fields: unknown) => listBootFaults(tags({ fields: fields as never }))
    expect(await fieldsFault(undefined)).to.deep.equal([
      'tags.fields (tags.ts): A declaration has fields: a function that returns a list of them.',
    ])
    expect(
      await fieldsFault(() => {
        throw new Error('No such column.')
      }),
    ).to.deep.equal(['tags.fields (tags.ts): The function throws: No such column.'])
    expect(await fieldsFault(({ strnig }: Builders) => [strnig('name')])).to.deep.equal([
      'tags.fields (tags.ts): The function throws: strnig is not a function',
    ])
    const sentence =
      "tags.fields (tags.ts): The function returns a list whose entries are made by its builders, such as string('title')."
    for (const fields of [() => undefined, ({ id }: Builders) => id(), ({ id }: Builders) => [id(), null, false]]) {
      expect(await fieldsFault(fields), fields.toString()).to.deep.equal([sentence])
    }
  })

  it('report a type without an entity that has neither fields nor functions in its serializer', async () => {
    const moods = (declaration: object) => ({
      file: 'moods.ts',
      resource: defineType({ type: 'moods', ...declaration } as never),
    })
    expect(await listBootFaults(moods({}))).to.deep.equal([
      'moods.fields (moods.ts): A declaration has fields: a function that returns a list of them.',
    ])
    for (const serializer of [{}, { attributes: {} }, { attributes: { name: 'calm' } }]) {
      expect(await listBootFaults(moods({ serializer })), JSON.stringify(serializer)).to.deep.equal([
        'moods.serializer (moods.ts): A serializer has attributes, each a function.',
      ])
    }
  })

  it('report an unknown operation, and operations that are not a list', async () => {
    expect(await listBootFaults(tags({ operations: ['FetchOne', 'Fetch', 7] }))).to.deep.equal([
      `tags.operations (tags.ts): 'Fetch' is not an operation. ${accepted}`,
      `tags.operations (tags.ts): '7' is not an operation. ${accepted}`,
    ])
    expect(await listBootFaults(tags({ operations: 'FetchOne' }))).to.deep.equal([
      `tags.operations (tags.ts): It is not a list. ${accepted}`,
    ])
  })

  it('report an empty list of servers, and servers that are not names', async () => {
    expect(await listBootFaults(tags({ server: [] }))).to.deep.equal([
      "tags.server (tags.ts): It names no server; leave 'server' out for the default server.",
    ])
    expect(await listBootFaults(tags({ server: [{}] }))).to.include(
      'tags.server (tags.ts): It is the name of a server, or a list of names.',
    )
  })

  it('report providers and persisters that lack methods, of types with and without an entity', async () => {
    const { provider, persister } = memoryStore()
    const { collection: _, ...incomplete } = provider
    const parts = { provider: incomplete, persister: {} }
    const faults = (name: string) => [
      `${name}.provider (${name}.ts): It lacks collection().`,
      `${name}.persister (${name}.ts): It lacks load(), create(), change(), remove(), flush(), relate(), keyOf().`,
      `${name}.persister (${name}.ts): It lacks 'transactional': true or false.`,
    ]
    expect(await listBootFaults(tags(parts))).to.deep.equal(faults('tags'))
    const moods = (declaration: object) => ({
      file: 'moods.ts',
      resource: defineType({
        type: 'moods',
        fields: ({ id, string }: Builders) => [id(), string('name')],
        operations: ['FetchCollection', 'FetchOne', 'Create'],
        ...declaration,
      } as never),
    })
    expect(await listBootFaults(moods(parts))).to.deep.equal(faults('moods'))
    expect(await listBootFaults(moods({ provider, persister }))).to.deep.equal([])
  })

  it('accept null as server and as allowedIncludePaths', async () => {
    expect(await listBootFaults(tags({ server: null, allowedIncludePaths: null }))).to.deep.equal([])
  })

  it('report the faults of all declarations together', async () => {
    const untyped = { ...books({ type: undefined as never }), file: 'books.ts' }
    const faults = await listBootFaults(
      untyped,
      tags({ server: [], operations: ['Fetch'] }),
      labels({ fields: null as never }),
    )
    expect(faults).to.deep.equal([
      "type (books.ts): A declaration has a type, such as 'albums'.",
      "tags.server (tags.ts): It names no server; leave 'server' out for the default server.",
      `tags.operations (tags.ts): 'Fetch' is not an operation. ${accepted}`,
      'labels.fields (labels.ts): A declaration has fields: a function that returns a list of them.',
    ])
  })
})

describe('Boot checks of a view', () => {
  const cards = {
    file: 'cards.ts',
    resource: defineType({ type: 'cards', serializer: { attributes: { name: () => 'x' } } }),
  }

  it('report relations that lead to it from properties with different entities', async () => {
    const declared = shelves({
      fields: ({ id, hasMany, hasOne }) => [id(), hasMany('books', 'cards'), hasOne('label', 'cards')],
    })
    expect(await listBootFaults(declared, cards)).to.deep.equal([
      'cards (cards.ts): It is a view of Book and of Label; a type has one entity.',
      "shelves.label (shelves.ts): The property 'label' does not lead to the entity of 'cards'.",
    ])
  })

  it('report a type with rows of its own as the target of an entity relation', async () => {
    const { provider } = memoryStore()
    const declaration = { type: 'cards', serializer: { attributes: { name: () => 'x' } }, provider }
    const declared = shelves({ fields: ({ id, hasMany }) => [id(), hasMany('books', 'cards')] })
    expect(await listBootFaults(declared, { file: 'cards.ts', resource: defineType(declaration) })).to.deep.equal([
      "shelves.books (shelves.ts): The property 'books' does not lead to the entity of 'cards'.",
    ])
  })

  it('report readOnly together with operations none', async () => {
    expect(await listBootFaults(tags({ readOnly: true, operations: 'none' }))).to.deep.equal([
      "tags (tags.ts): Declare either 'readOnly' or 'operations', not both.",
    ])
  })
})

describe('Boot checks of a field', () => {
  for (const name of ['id', 'type', 'lid']) {
    it(`report the reserved name ${name}`, async () => {
      const declared = tags({ fields: ({ id, string }) => [id(), string(name).storedAs('name')] })
      expect(await listBootFaults(declared)).to.deep.equal([
        `tags.${name} (tags.ts): A field cannot be called '${name}'.`,
      ])
    })
  }

  for (const name of ['-name', 'na+me', 'name_', '@name', '']) {
    it(`report the illegal member name '${name}'`, async () => {
      const declared = tags({ fields: ({ id, string }) => [id(), string(name).storedAs('name')] })
      expect(await listBootFaults(declared)).to.have.length(1)
      expect((await listBootFaults(declared))[0]).to.match(/^tags.* \(tags\.ts\): '.*' is not a legal member name\.$/)
    })
  }

  it('report a name of more than 50 bytes', async () => {
    const name = 'é'.repeat(26)
    const declared = tags({ fields: ({ id, string }) => [id(), string(name).storedAs('name')] })
    const fault = `'${name}' has more than 50 bytes, the limit for the name of a field.`
    expect(await listBootFaults(declared)).to.deep.equal([`tags.${name} (tags.ts): ${fault}`])
  })

  it('report an attribute and a relation with the same name', async () => {
    const declared = shelves({
      fields: ({ id, string, hasMany }) => [id(), string('books').storedAs('name'), hasMany('books', 'books')],
    })
    expect(await listBootFaults(declared, books())).to.deep.equal([
      'shelves.books (shelves.ts): Attributes and relations share one namespace; this name is used twice.',
    ])
  })
})

describe('Boot checks of an attribute', () => {
  it('report an attribute without a property', async () => {
    expect(await listBootFaults(tags({ fields: ({ id, string }) => [id(), string('nmae')] }))).to.deep.equal([
      "tags.nmae (tags.ts): Tag has no property 'nmae' that could be an attribute. Did you mean 'name'?",
    ])
    expect(
      await listBootFaults(tags({ fields: ({ id, string }) => [id(), string('label').storedAs('nmae')] })),
    ).to.deep.equal([
      "tags.label (tags.ts): Tag has no property 'nmae' that could be an attribute. Did you mean 'name'?",
    ])
  })

  it('report a child of a map without a property', async () => {
    const declared = tags({ fields: ({ id, map, string }) => [id(), map('info', string('name'), string('nmae'))] })
    expect(await listBootFaults(declared)).to.deep.equal([
      "tags.nmae (tags.ts): Tag has no property 'nmae' that could be an attribute. Did you mean 'name'?",
    ])
  })

  it('report an attribute whose property is a relation', async () => {
    expect(await listBootFaults(tags({ fields: ({ id, string }) => [id(), string('books')] }))).to.deep.equal([
      "tags.books (tags.ts): Tag has no property 'books' that could be an attribute.",
    ])
  })

  it('report an attribute that is read-only and write-only', async () => {
    const declared = tags({ fields: ({ id, string }) => [id(), string('name').readOnly().writeOnly()] })
    expect(await listBootFaults(declared)).to.deep.equal([
      'tags.name (tags.ts): A field that is read-only and write-only can neither be read nor written.',
    ])
    const conditional = tags({
      fields: ({ id, string }) => [
        id(),
        string('name')
          .readOnly(() => true)
          .writeOnly(),
      ],
    })
    expect(await listBootFaults(conditional)).to.deep.equal([])
  })

  it('report an on() path that is not a path of to-one relations to a property', async () => {
    const through = (path: string, property = 'name') =>
      books({
        fields: ({ id, string, belongsTo, belongsToMany }) => [
          id(),
          string('place').storedAs(property).on(path),
          belongsTo('shelf', 'shelves'),
          belongsToMany('tags', 'tags'),
        ],
      })
    const others = [shelves(), tags()]
    expect(await listBootFaults(through('shelf'), ...others)).to.deep.equal([])
    expect(await listBootFaults(through('room'), ...others)).to.deep.equal([
      "books.place (books.ts): 'room' is not a path of to-one relations.",
    ])
    expect(await listBootFaults(through('tags'), ...others)).to.deep.equal([
      "books.place (books.ts): 'tags' is not a path of to-one relations.",
    ])
    expect(await listBootFaults(through('shelf', 'width'), ...others)).to.deep.equal([
      "books.place (books.ts): Shelf has no property 'width' that could be an attribute.",
    ])
  })

  it('report computedUsing() together with on()', async () => {
    const declared = books({
      fields: ({ id, string, belongsTo }) => [
        id(),
        string('place')
          .on('shelf')
          .computedUsing(() => 'here'),
        belongsTo('shelf', 'shelves'),
      ],
    })
    expect(await listBootFaults(declared, shelves())).to.deep.equal([
      'books.place (books.ts): A computed field has no property in another object: use either computedUsing() or on().',
    ])
  })
})

describe('Boot checks of a relation', () => {
  for (const name of ['relationships', '_self_']) {
    it(`report the reserved name ${name}`, async () => {
      const declared = shelves({ fields: ({ id, hasMany }) => [id(), hasMany(name, 'books').storedAs('books')] })
      expect(await listBootFaults(declared, books())).to.deep.equal([
        `shelves.${name} (shelves.ts): A relation cannot be called '${name}'.`,
      ])
    })
  }

  it('report a related type that is not declared', async () => {
    expect(
      await listBootFaults(shelves({ fields: ({ id, hasMany }) => [id(), hasMany('books', 'boks')] })),
    ).to.deep.equal(["shelves.books (shelves.ts): There is no resource type 'boks'."])
  })

  it('report a related type that no server exposes', async () => {
    const declared = shelves({ fields: ({ id, hasMany }) => [id(), hasMany('books', 'books')] })
    expect(await listBootFaults(declared, books({ server: [] }))).to.deep.equal([
      "books.server (books.ts): It names no server; leave 'server' out for the default server.",
      "shelves.books (shelves.ts): No server offers the type 'books'.",
    ])
  })

  it('report a related type with another entity than the property', async () => {
    const declared = shelves({ fields: ({ id, hasMany }) => [id(), hasMany('books', 'tags')] })
    expect(await listBootFaults(declared, tags())).to.deep.equal([
      "shelves.books (shelves.ts): The property 'books' does not lead to the entity of 'tags'.",
    ])
  })

  for (const [kind, name, target] of [
    ['hasMany', 'volumes', 'books'],
    ['hasMany', 'name', 'books'],
    ['hasMany', 'label', 'labels'],
    ['belongsTo', 'books', 'books'],
    ['belongsTo', 'label', 'labels'],
    ['morphTo', 'label', 'labels'],
    ['morphToMany', 'books', 'books'],
  ] as const) {
    it(`report ${name} of a shelf declared as ${kind}`, async () => {
      const declared = shelves({ fields: (builders) => [builders.id(), builders[kind](name, target)] })
      expect(await listBootFaults(declared, books(), labels())).to.deep.equal([
        `shelves.${name} (shelves.ts): Shelf has no property '${name}' that is a ${kind}.`,
      ])
    })
  }

  it('report hasOne on the side of the foreign key', async () => {
    const declared = labels({ fields: ({ id, hasOne }) => [id(), hasOne('shelf', 'shelves')] })
    expect(await listBootFaults(declared, shelves())).to.deep.equal([
      "labels.shelf (labels.ts): Label has no property 'shelf' that is a hasOne.",
    ])
  })

  for (const segment of ['-books', 'a/b']) {
    it(`report the URL segment '${segment}'`, async () => {
      const declared = shelves({
        fields: ({ id, hasMany }) => [id(), hasMany('books', 'books').withUriFieldName(segment)],
      })
      expect(await listBootFaults(declared, books())).to.deep.equal([
        `shelves.books (shelves.ts): '${segment}' cannot be a URL segment.`,
      ])
    })
  }

  it('report two relations with the same URL segment', async () => {
    const declared = shelves({
      fields: ({ id, hasMany }) => [
        id(),
        hasMany('books', 'books'),
        hasMany('volumes', 'books').storedAs('books').withUriFieldName('books'),
      ],
    })
    expect(await listBootFaults(declared, books())).to.deep.equal([
      "shelves.books (shelves.ts): Another relation has the URL segment 'books'.",
    ])
  })
})

describe('Boot checks of a polymorphic relation', () => {
  const mixed = (...types: readonly string[]) =>
    shelves({ fields: ({ id, morphToMany }) => [id(), morphToMany('books', types).throughProperty('shelf')] })

  it('report types with one entity and without typeOf()', async () => {
    const marks = { ...tags({ type: 'marks', typeOf: () => 'marks' }), file: 'marks.ts' }
    expect(await listBootFaults(mixed('tags', 'marks', 'labels'), tags(), marks, labels())).to.deep.equal([
      "shelves.books (shelves.ts): 'tags' shares its entity with another type of the relation, and has no typeOf() that distinguishes them.",
    ])
    expect(await listBootFaults(mixed('tags', 'marks'), tags({ typeOf: () => '' }), marks)).to.deep.equal([])
  })
})

describe('Boot checks of validation rules', () => {
  it('report a rule that has no effect on the kind of the field', async () => {
    const declared = tags({ fields: ({ id, string }) => [id(), (string('name') as Builders).min(0)] })
    expect(await listBootFaults(declared)).to.deep.equal([
      'tags.name (tags.ts): min() has no effect on the kind string; rule() takes a function.',
    ])
  })

  it('report a word that is not a rule where only rules are allowed', async () => {
    const declared = tags({
      fields: ({ id, string }) => [id(), string('name').onCreate((field: Builders) => field.minLength(2).hidden())],
    })
    expect(await listBootFaults(declared)).to.deep.equal([
      'tags.name (tags.ts): hidden() is not a rule; use it on the field itself.',
    ])
  })

  it('report comparisons of missing fields and of different kinds', async () => {
    const comparing = (other: string) =>
      books({
        fields: ({ id, string, integer, map }) => [
          id(),
          string('title').compareWith(other, 'EqualTo'),
          integer('position'),
          map('info', string('secret')),
        ],
      })
    for (const other of ['unknown', 'title', 'secret']) {
      expect(await listBootFaults(comparing(other))).to.deep.equal([
        `books.title (books.ts): compareWith() names '${other}', which is not a sibling field.`,
      ])
    }
    expect(await listBootFaults(comparing('position'))).to.deep.equal([
      "books.title (books.ts): It cannot be compared with 'position', a integer.",
    ])
  })

  it('report rules that read the stored value of an on() attribute or of its members', async () => {
    const declared = books({
      fields: ({ id, string, integer, obj, belongsTo }) => [
        id(),
        belongsTo('shelf', 'shelves'),
        string('title').compareWith('shelfName', 'NotEqualTo'),
        string('shelfName').storedAs('name').on('shelf').requiredOnUpdate(),
        obj('place', integer('row').requiredOnUpdate(), integer('seat').compareWith('row', 'GreaterThan'))
          .storedAs('name')
          .on('shelf'),
      ],
    })
    expect(await listBootFaults(declared, shelves(), tags())).to.deep.equal([
      "books.title (books.ts): compareWith() cannot read the value of 'shelfName', which on() stores in another row.",
      'books.shelfName (books.ts): requiredOnUpdate() cannot read the value that on() stores in another row; use required().',
      'books.row (books.ts): requiredOnUpdate() cannot read the value that on() stores in another row; use required().',
      "books.seat (books.ts): compareWith() cannot read the value of 'seat', which on() stores in another row.",
    ])
  })

  it('report names of enumerations that are invalid, without values, or used for other values', async () => {
    const declared = tags({
      fields: ({ id, string, map }) => [
        id(),
        string('name').enum(['a', 'b']).enumName('Tag'),
        string('label').computed().enum(['a', 'b']).enumName('Tag'),
        map('info', string('note').computed().enum(['c']).enumName('Tag')),
        string('mood').computed().enumName('Mood'),
        string('size').computed().enum(['s']).enumName('size-of-tag'),
      ],
    })
    expect(await listBootFaults(declared)).to.deep.equal([
      "tags.note (tags.ts): enumName('Tag') is also the name of an enumeration with other values.",
      "tags.mood (tags.ts): enumName('Mood') needs enum(), which lists the values.",
      "tags.size (tags.ts): enumName('size-of-tag') is not a name in PascalCase, such as AlbumStatus.",
    ])
  })

  it('report a name of an enumeration that another schema of the OpenAPI document has', async () => {
    const declared = tags({
      fields: ({ id, string }) => [id(), string('name').enum(['a']).enumName('TagsResource')],
    })
    expect(await listBootFaults(declared)).to.deep.equal([
      "enumName('TagsResource') is the name of another schema of the OpenAPI document.",
    ])
  })

  it('report uniqueEntity() for an attribute that is not stored', async () => {
    const declared = tags({
      fields: ({ id, string }) => [
        id(),
        string('name').uniqueEntity(['name', 'label', 'unknown']),
        string('label').computed(),
      ],
    })
    expect(await listBootFaults(declared)).to.deep.equal([
      "tags.name (tags.ts): uniqueEntity() names 'label', which is not a stored attribute.",
      "tags.name (tags.ts): uniqueEntity() names 'unknown', which is not a stored attribute.",
    ])
  })

  it('report bounds of a time that are not times', async () => {
    const declared = books({
      fields: ({ id, dateTime }) => [
        id(),
        dateTime('printedAt')
          .before('tomorrow')
          .between('2024-01-01', () => 'x'),
      ],
    })
    expect(await listBootFaults(declared)).to.deep.equal([
      "books.printedAt (books.ts): 'tomorrow' is not a dateTime.",
      "books.printedAt (books.ts): '2024-01-01' is not a dateTime.",
    ])
  })

  it('report variants without a constant discriminator', async () => {
    const shapes = shape.oneOf(
      { type: 'object', properties: { kind: { const: 'a' } } },
      { type: 'object', properties: { kind: { type: 'string' } } },
    )
    const declared = books({
      fields: ({ id, arrayHash }) => [id(), arrayHash('secret').constrain(shapes.discriminator('kind'))],
    })
    expect(await listBootFaults(declared)).to.deep.equal([
      "books.secret (books.ts): Every schema of the shape needs a constant 'kind', its discriminator.",
    ])
  })

  it('report list items with rules of texts and of numbers', async () => {
    const declared = books({
      fields: ({ id, arrayList }) => [id(), arrayList('secret').each((item: Builders) => item.minLength(1).max(5))],
    })
    expect(await listBootFaults(declared)).to.deep.equal([
      'books.secret (books.ts): each() has rules of texts and of numbers; an item is one of them.',
    ])
  })

  it('report minItems() and maxItems() on other relations', async () => {
    const declared = shelves({
      fields: ({ id, hasOne, hasMany }) => [
        id(),
        hasOne('label', 'labels').maxItems(1),
        hasMany('books', 'books').maxItems(3),
      ],
    })
    expect(await listBootFaults(declared, books(), labels())).to.deep.equal([
      'shelves.label (shelves.ts): minItems() and maxItems() are for a hasMany or belongsToMany.',
    ])
  })

  it('report required() on a relation without a foreign key in the row', async () => {
    const declared = shelves({ fields: ({ id, hasOne }) => [id(), hasOne('label', 'labels').required()] })
    expect(await listBootFaults(declared, labels())).to.deep.equal([
      'shelves.label (shelves.ts): required() is for a belongsTo or morphTo; use minItems() on a to-many.',
    ])
  })
})

describe('Boot checks of declared responses', () => {
  const accept = () => undefined

  it('report responses that the operation cannot give', async () => {
    const declared = tags({
      create: [ok()],
      delete: accepted('tags'),
      fetchCollection: seeOther(),
      update: [metaResult()],
    })
    expect(await listBootFaults(declared)).to.have.members([
      'tags.create (tags.ts): ok() cannot be the answer here.',
      'tags.update (tags.ts): metaResult() cannot be the answer here.',
      'tags.delete (tags.ts): accepted() cannot be the answer here.',
      'tags.fetchCollection (tags.ts): seeOther() cannot be the answer here.',
    ])
    const right = {
      accept,
      create: [created(), accepted('tags')],
      delete: [noContent(), metaResult()],
      fetchOne: [ok(), seeOther()],
      completionLocation: () => null,
    }
    expect(await listBootFaults(tags(right))).to.deep.equal([])
  })

  it('report two responses with the same status', async () => {
    expect(await listBootFaults(tags({ create: [created(), created(), noContent()] }))).to.deep.equal([
      'tags.create (tags.ts): Two of the answers have the status 201.',
    ])
  })

  it('report two accepted() responses', async () => {
    const declared = tags({ accept, create: [accepted('tags'), accepted('labels')] })
    expect(await listBootFaults(declared, labels())).to.deep.equal([
      'tags.create (tags.ts): Two of the answers have the status 202.',
    ])
  })

  it('report a job type that is not declared', async () => {
    expect(await listBootFaults(tags({ accept, update: accepted('jobs') }))).to.deep.equal([
      "tags.update (tags.ts): accepted() names 'jobs', which is not a resource type.",
    ])
  })

  it('report a job type that a server of the type does not expose', async () => {
    const declared = tags({ accept, server: ['default', 'admin'], update: accepted('labels') })
    expect(await listBootFaults(declared, labels())).to.deep.equal([
      "tags.update (tags.ts): accepted() names 'labels', which the server 'admin' does not offer.",
    ])
  })

  it('report accepted() without accept() or a persister', async () => {
    const sentence = (key: string) =>
      `tags.${key} (tags.ts): accepted() is among its answers, but nothing hands the write over: add accept.`
    expect(await listBootFaults(tags({ create: accepted('tags'), update: [ok(), accepted('tags')] }))).to.deep.equal([
      sentence('create'),
      sentence('update'),
    ])
    const { persister } = memoryStore()
    expect(await listBootFaults(tags({ create: accepted('tags'), persister }))).to.deep.equal([])
    expect(await listBootFaults(tags({ accept, create: created() }))).to.deep.equal([
      'tags.accept (tags.ts): Neither create nor update has accepted() among its answers.',
    ])
  })

  it('report two jobs with the same name', async () => {
    const job = (name: string) => defineJob(name, async () => {})
    expect(await listBootFaults(tags({ job: job('sort-tags') }), labels({ job: job('sort-labels') }))).to.deep.equal([])
    expect(await listBootFaults(tags({ job: job('sort') }), labels({ job: job('sort') }))).to.deep.equal([
      "tags.job (tags.ts): Another type has a job called 'sort'.",
      "labels.job (labels.ts): Another type has a job called 'sort'.",
    ])
    expect(await listBootFaults(tags({ job: job('sort of') }))).to.deep.equal([
      "tags.job (tags.ts): 'sort of' is not a name for a job: letters, digits and hyphens are.",
    ])
  })

  it('report accepted() while async-writes is disabled', async () => {
    const sentence =
      "tags.create (tags.ts): needs the plugin 'async-writes', which is off; without it 'create' would be ignored."
    const off = { disabled: ['async-writes'] }
    expect(await listBootFaults(off, tags({ create: accepted('tags') }))).to.deep.equal([sentence])
    expect(await listBootFaults(off, tags({ create: [created(), accepted('tags')] }))).to.deep.equal([sentence])
    expect(await listBootFaults(off, tags({ create: [created()] }))).to.deep.equal([])
  })
})

describe('Boot checks of exceptions', () => {
  it('report exceptions that are not error classes with an error status', async () => {
    const declared = tags({
      exceptions: [
        [RangeError, 409],
        [Date, 409],
        [TypeError, 200],
      ],
    })
    expect(await listBootFaults(declared)).to.deep.equal([
      'tags.exceptions (tags.ts): An exception is a pair of an error class and a status: [[PlaylistNotEmptyError, 409]].',
      'tags.exceptions (tags.ts): TypeError has the status 200; accepted are 400 to 599.',
    ])
  })
})

describe('Boot checks of lifecycle hooks', () => {
  it('report a hook that is not a function', async () => {
    expect(await listBootFaults(tags({ beforeSave: 'log', afterFetchOne: () => undefined }))).to.deep.equal([
      'tags.beforeSave (tags.ts): It is a function.',
    ])
  })
})

describe('Boot checks of OpenAPI tags', () => {
  it('report blank and repeated tags', async () => {
    expect(await listBootFaults(tags({ tags: ['Catalog', ' ', 'Catalog'] }))).to.deep.equal([
      'tags.tags (tags.ts): A tag must not be blank.',
      'tags.tags (tags.ts): A tag is listed twice.',
    ])
  })
})

describe('Boot checks of a filter', () => {
  it('report a filter on a missing property', async () => {
    expect(await listBootFaults(tags({ filters: ({ where }: Builders) => [where('label')] }))).to.deep.equal([
      "tags.filters (tags.ts): The filter 'label' reads 'label', which is not a property of Tag.",
    ])
  })

  it('report a numeric filter with another operator', async () => {
    const declared = books({ filters: ({ greaterThan }: Builders) => [greaterThan('position').operator('<')] })
    expect(await listBootFaults(declared)).to.deep.equal([
      "books.filters (books.ts): The filter 'position' is a greaterThan(): it cannot have the operator '<'.",
    ])
  })

  it('report a custom filter without a condition or a handler', async () => {
    expect(await listBootFaults(tags({ filters: ({ custom }: Builders) => [custom('q')] }))).to.deep.equal([
      "tags.filters (tags.ts): The filter 'q' is custom: it needs condition() or handledBy().",
    ])
  })
})

describe('Boot checks of a menu of paginators', () => {
  it('report a paginator kind that is offered twice', async () => {
    expect(await listBootFaults(tags({ pagination: () => menu(page(), page()) }))).to.deep.equal([
      "tags.pagination (tags.ts): A menu offers 'page' twice: rename one with named().",
    ])
  })
})

describe('Boot checks of association rows', () => {
  const sellers = (declare: (builders: Builders) => unknown) =>
    resource(Seller, 'sellers', { fields: (builders) => [builders.id(), declare(builders)] })
  const goods = resource(Good, 'goods', { fields: plain })

  it('report an association entity that does not connect the two sides', async () => {
    const joined = sellers(({ belongsToMany }) => belongsToMany('goods', 'goods').through(Stock))
    expect(await listBootFaults(joined, goods)).to.deep.equal([])
    const other = sellers(({ belongsToMany }) => belongsToMany('goods', 'goods').through(Label))
    expect(await listBootFaults(other, goods)).to.deep.equal([
      "sellers.goods (sellers.ts): The rows of 'goods' are not those of the entity Label.",
    ])
  })

  it('report pivot fields without through()', async () => {
    const declared = sellers(({ belongsToMany }) =>
      belongsToMany('goods', 'goods').fields(({ integer }: Builders) => [integer('amount')]),
    )
    expect(await listBootFaults(declared, goods)).to.deep.equal([
      'sellers.goods (sellers.ts): Its pivot fields need through() with the association entity.',
    ])
  })

  it('report pivot fields without a property', async () => {
    const declared = sellers(({ belongsToMany }) =>
      belongsToMany('goods', 'goods')
        .through(Stock)
        .fields(({ integer }: Builders) => [integer('amount'), integer('amuont')]),
    )
    expect(await listBootFaults(declared, goods)).to.deep.equal([
      "sellers.goods (sellers.ts): Stock has no property 'amuont' for the pivot field 'amuont'. Did you mean 'amount'?",
    ])
  })
})

describe('Boot checks of a type without an entity', () => {
  const standalone = (declaration: object): DeclaredResource => ({
    file: 'moods.ts',
    resource: defineType({ type: 'moods', serializer: { attributes: { name: () => 'calm' } }, ...declaration }),
  })

  it('accept a type that exposes no operation', async () => {
    expect(await listBootFaults(standalone({}))).to.deep.equal([])
  })

  it('accept a type without a provider that is only related', async () => {
    const declared = standalone({ relations: ({ hasMany }: Builders) => [hasMany('others', 'moods')] })
    expect(await listBootFaults(declared)).to.deep.equal([])
  })

  it('report exposed operations without a provider, persister or hydrator', async () => {
    expect(await listBootFaults(standalone({ operations: ['FetchOne', 'Create'] }))).to.deep.equal([
      'moods (moods.ts): It is exposed for reading, but no provider reads it.',
      'moods (moods.ts): It is exposed for writing, but no persister writes it.',
      'moods (moods.ts): It is exposed for writing, but no hydrator reads the documents.',
    ])
  })
})

describe('Boot checks of serializers and hydrators', () => {
  it('report missing methods', async () => {
    expect(await listBootFaults(tags({ serializer: {}, hydrator: {} }))).to.deep.equal([
      'tags.hydrator (tags.ts): A hydrator has a method hydrate().',
      'tags.serializer (tags.ts): A serializer has attributes, each a function.',
    ])
  })

  it('report a serialized attribute that is not declared', async () => {
    expect(await listBootFaults(tags({ serializer: { attributes: { nmae: () => 'x' } } }))).to.deep.equal([
      "tags.nmae (tags.ts): The serializer renders an attribute that is not declared. Did you mean 'name'?",
    ])
  })
})

describe('Boot checks of URLs', () => {
  it('report two types with the same URL', async () => {
    expect(await listBootFaults(tags(), shelves({ uriType: 'tags' }))).to.deep.equal([
      "shelves (shelves.ts): the path /tags already belongs to the type 'tags'.",
    ])
    expect(await listBootFaults(tags(), shelves({ uriType: 'tags', server: 'admin' }))).to.deep.equal([])
  })

  it('report the URL of a type that is the prefix of another server', async () => {
    expect(await listBootFaults(tags({ uriType: 'admin' }))).to.deep.equal([
      "tags (tags.ts): the path /admin already belongs to the server 'admin'.",
    ])
    const servers = { default: {}, next: { prefix: '/tags/v2' }, far: { prefix: '/far', domain: 'far.example' } }
    expect(await listBootFaults({ servers }, tags())).to.deep.equal([
      "tags (tags.ts): the path /tags already belongs to the server 'next'.",
    ])
    expect(await listBootFaults({ servers }, tags({ uriType: 'far' }))).to.deep.equal([
      "tags (tags.ts): the path /far already belongs to the server 'far'.",
    ])
  })

  it('report the URL of a type that is a route of a plugin', async () => {
    expect(await listBootFaults(tags({ uriType: 'operations', server: 'admin' }))).to.deep.equal([
      "tags (tags.ts): the path /admin/operations already belongs to the plugin 'atomic'.",
    ])
  })
})

describe('Boot checks of servers', () => {
  it('report two servers with the same prefix', async () => {
    const servers = { default: {}, admin: { prefix: '' } }
    expect(await listBootFaults({ servers }, tags())).to.deep.equal([
      "The servers 'default' and 'admin' have the same prefix ''.",
    ])
  })

  it('report the same prefix at one host, except for servers with mountManually', async () => {
    const prefix = '/v1'
    const at = (domain?: string) => ({ prefix, ...(domain && { domain }) })
    const servers = { default: at(), a: at('a.example'), b: at('b.example'), again: at('A.example') }
    expect(await listBootFaults({ servers }, tags())).to.deep.equal([
      "The servers 'a' and 'again' have the same prefix '/v1' at a.example.",
    ])
    const byHand = { default: {}, a: { mountManually: true }, b: { mountManually: true } }
    expect(await listBootFaults({ servers: byHand }, tags())).to.deep.equal([])
  })

  it('report invalid names, prefixes, domains and base URIs', async () => {
    const servers = {
      default: { prefix: 'api', domain: 'http://a.example', baseUri: 'api.example' },
      '1st': { prefix: '/v1/' },
      v2: { prefix: '/:v', baseUri: '/v2' },
    }
    expect(await listBootFaults({ servers }, tags())).to.deep.equal([
      "The server 'default': the prefix 'api' is not a path like /admin.",
      "The server 'default': the domain 'http://a.example' is not a host name.",
      "The server 'default': the base URI 'api.example' is not an absolute URL.",
      "The server '1st': its name is a part of route names: letters, digits, hyphens.",
      "The server '1st': the prefix '/v1/' is not a path like /admin.",
      "The server 'v2': the prefix '/:v' is not a path like /admin.",
      "The server 'v2': the base URI '/v2' is not an absolute URL.",
    ])
  })

  it('report unknown, repeated and malformed profiles', async () => {
    const own = { uri: 'https://a.example/profile' }
    const servers = { default: { profiles: ['https://unknown.example/', own, own, { uri: 'a b' }] } }
    expect(await listBootFaults({ servers }, tags())).to.deep.equal([
      "The server 'default': no plugin has the profile https://unknown.example/.",
      "The server 'default': the profile https://a.example/profile is listed twice.",
      "The server 'default': the profile 'a b' is not a URI.",
    ])
  })

  it('report query parameters that are reserved or owned by plugins', async () => {
    const read = () => {}
    const profile = { uri: 'https://a.example/profile', parameters: { fooBar: read, page: read } }
    const servers = {
      default: { profiles: [profile], parameters: { foo: read, fooBar: read, 'a[b]': read, 'a-b': read } },
    }
    expect(await listBootFaults({ servers }, tags())).to.deep.equal([
      "The server 'default': the query parameter 'foo' needs a character besides a to z, because JSON:API reserves all other names.",
      "The server 'default': the query parameter 'a[b]' is not a legal name.",
      "The server 'default': the query parameter 'fooBar' has two owners.",
      "The server 'default': the query parameter 'page' is owned by the plugin 'pagination'.",
    ])
  })

  it('report a type without a server if there is no default server', async () => {
    expect(await listBootFaults({ servers: { admin: { prefix: '/admin' } } }, tags())).to.deep.equal([
      "tags (tags.ts): There is no server called 'default'.",
    ])
  })
})

describe('A self link without FetchOne', () => {
  const warningsOf = async (declaration: Loose) => {
    const warnings: string[] = []
    const logger = { error() {}, info() {}, warn: (_: object, message: string) => void warnings.push(message) }
    expect(await listBootFaults({ logger }, tags(declaration))).to.deep.equal([])
    return warnings
  }

  it('is logged once as a warning, and the application starts', async () => {
    expect(await warningsOf({ operations: ['FetchCollection'], policy: open })).to.deep.equal([
      'tags (tags.ts): Its resources have self links, but FetchOne is not exposed: the links are 404s.',
    ])
    expect(await warningsOf({ operations: ['FetchCollection'], emitsSelfLink: false, policy: open })).to.deep.equal([])
    expect(await warningsOf({ policy: open })).to.deep.equal([])
  })
})

describe('Boot checks of a sort', () => {
  it('report a sort of a computed field without a declaration of the same key', async () => {
    const computed = ({ id, string }: Builders) => [id(), string('size').computed().sortable()]
    expect(await listBootFaults(tags({ fields: computed }))).to.deep.equal([
      'tags.size (tags.ts): A computed field needs a sort of the same key to be sortable.',
    ])
    expect(await listBootFaults(tags({ fields: computed, sorts: { size: 'name' } }))).to.deep.equal([])
  })

  it('report a sort by a missing property', async () => {
    expect(await listBootFaults(tags({ sorts: { size: 'lenght' } }))).to.deep.equal([
      "tags.size (tags.ts): The sort 'size' names 'lenght', which is not a property of Tag.",
    ])
  })

  it('report a custom sort without a handler', async () => {
    expect(await listBootFaults(tags({ sorts: { size: {}, width: { handler: 'unknown' } } }))).to.deep.equal([
      "tags.size (tags.ts): The sort 'size' is custom: it needs a handler.",
      "tags.width (tags.ts): The sort 'width' names the handler 'unknown', which is not given to sorting({ handlers }).",
    ])
  })

  it('report a default sort that is not declared', async () => {
    expect(await listBootFaults(tags({ defaultSort: ['-name', '-size'] }))).to.deep.equal([
      "tags (tags.ts): The default sort names '-size', which is not a sort of this type.",
    ])
  })
})

describe('Boot checks of default includes', () => {
  it('report a default include that is not a relation', async () => {
    expect(await listBootFaults(tags({ defaultIncludes: ['name', 'boks'] }))).to.deep.equal([
      "tags (tags.ts): The default include 'name' is not a relation of this type.",
      "tags (tags.ts): The default include 'boks' is not a relation of this type.",
    ])
  })
})

describe('Boot checks of a policy', () => {
  class Incomplete extends Policy {
    static override readonly needs = { view: [] }
    override viewAny() {
      return true
    }
    override view() {
      return true
    }
  }

  it('report a missing method of an exposed operation', async () => {
    expect(await listBootFaults(tags({ policy: Incomplete }))).to.deep.equal([
      "tags.policy (tags.ts): Incomplete has no method 'create' for Create.",
      "tags.policy (tags.ts): Incomplete has no method 'update' for Update.",
      "tags.policy (tags.ts): Incomplete has no method 'delete' for Delete.",
    ])
    expect(await listBootFaults(tags({ policy: Incomplete, readOnly: true }))).to.deep.equal([])
  })

  it('report missing methods of abilities and relations', async () => {
    const declared = tags({
      fields: ({ id, belongsToMany }) => [id(), belongsToMany('books', 'books').security({ read: 'browse' })],
      policy: Incomplete,
      abilities: { list: 'skim' },
      operations: ['FetchCollection', 'FetchOne'],
    })
    expect(await listBootFaults(declared, books())).to.have.members([
      "tags.policy (tags.ts): Incomplete has no method 'skim' for FetchCollection.",
      "tags.books (tags.ts): security() requires the method 'browse', but Incomplete has no such method.",
    ])
    expect(await listBootFaults(tags({ abilities: { read: 'browse' } }))).to.deep.equal([
      "tags.abilities (tags.ts): 'read' requires the method 'browse', but the type has no policy.",
    ])
  })

  it('report a policy while authorization is disabled', async () => {
    expect(await listBootFaults({ disabled: ['authorization'] }, tags({ policy: Incomplete }))).to.deep.equal([
      "tags.policy (tags.ts): needs the plugin 'authorization', which is off; without it 'policy' would be ignored.",
    ])
  })
})

describe('Boot checks of a cursor', () => {
  it('report a cursor on a polymorphic relation', async () => {
    const declared = shelves({
      fields: ({ id, morphToMany }) => [
        id(),
        morphToMany('books', ['tags', 'labels']).throughProperty('shelf').paginate(cursor()),
      ],
    })
    expect(await listBootFaults(declared, tags(), labels())).to.deep.equal([
      'shelves.books (shelves.ts): A polymorphic relation cannot be paged by cursor.',
    ])
  })
})

describe('Boot checks of the list of plugins', () => {
  const echo = (name: string, more: Partial<Plugin> = {}): Plugin => ({ name, ...more })

  it('report an unknown name in DISABLED_PLUGINS', async () => {
    expect(await listBootFaults({ disabled: ['sortign', 'lullaby'] })).to.deep.equal([
      "DISABLED_PLUGINS names 'sortign', which is not a plugin. Did you mean 'sorting'?",
      "DISABLED_PLUGINS names 'lullaby', which is not a plugin.",
    ])
  })

  it('report a plugin that is listed twice', async () => {
    expect(await listBootFaults({ plugins: [echo('echo'), echo('echo')] })).to.deep.equal([
      "Plugin 'echo' is listed twice in app/plugins.ts.",
    ])
  })

  it('report a plugin above one that it requires', async () => {
    const needy = echo('echo', { requires: ['voice'] })
    const sentence = "Plugin 'echo' needs 'voice' above it in app/plugins.ts."
    expect(await listBootFaults({ plugins: [needy] })).to.deep.equal([sentence])
    expect(await listBootFaults({ plugins: [needy, echo('voice')] })).to.deep.equal([sentence])
    expect(await listBootFaults({ plugins: [echo('voice'), needy] })).to.deep.equal([])
    expect(await listBootFaults({ plugins: [echo('voices'), needy] })).to.deep.equal([
      `${sentence} Did you mean 'voices'?`,
    ])
  })

  it('report a disabled plugin that another plugin requires', async () => {
    const list = [echo('voice'), echo('echo', { requires: ['voice'] })]
    expect(await listBootFaults({ plugins: list, disabled: ['voice'] })).to.deep.equal([
      "Plugin 'echo' needs 'voice': disable both, or neither.",
    ])
    expect(await listBootFaults({ plugins: list, disabled: ['voice', 'echo'] })).to.deep.equal([])
  })

  it('report a query parameter with two owners', async () => {
    const owner = (name: string) => echo(name, { parameters: { tone: () => {} } })
    expect(await listBootFaults({ plugins: [owner('voice'), owner('echo')] })).to.deep.equal([
      "The query parameter 'tone' is owned by 'voice' and by 'echo'.",
    ])
    expect(await listBootFaults({ plugins: [owner('voice'), owner('echo')], disabled: ['voice'] })).to.deep.equal([])
  })
})

describe('All faults of a broken project', () => {
  it('are reported in one error, one sentence per line', async () => {
    const error = await failure(
      { disabled: ['sortign'] },
      tags({
        fields: ({ id, string, belongsToMany }) => [
          id(),
          id(),
          string('nmae').sortable(),
          belongsToMany('books', 'boks'),
        ],
        defaultSort: ['size'],
        server: 'adnim',
      }),
      shelves({ defaultIncludes: ['label'], uriType: 'operations' }),
    )
    expect(error).to.be.instanceOf(BootError)
    expect(error?.message.split('\n')).to.have.members([
      "DISABLED_PLUGINS names 'sortign', which is not a plugin. Did you mean 'sorting'?",
      'tags (tags.ts): A resource has exactly one id field; this one has 2.',
      "tags.nmae (tags.ts): Tag has no property 'nmae' that could be an attribute. Did you mean 'name'?",
      "tags.books (tags.ts): There is no resource type 'boks'.",
      "tags (tags.ts): There is no server called 'adnim'.",
      "tags (tags.ts): The default sort names 'size', which is not a sort of this type.",
      "shelves (shelves.ts): The default include 'label' is not a relation of this type.",
      "shelves (shelves.ts): the path /operations already belongs to the plugin 'atomic'.",
    ])
  })
})

// biome-ignore lint/suspicious/noExplicitAny: what the compiler would refuse is written here on purpose
type Builders = Record<string, any>

interface Loose {
  readonly type?: string
  readonly fields?: (builders: Builders) => readonly unknown[]
  readonly [key: string]: unknown
}

interface Options {
  readonly plugins?: readonly Plugin[]
  readonly disabled?: readonly string[]
  readonly servers?: Readonly<Record<string, ServerOptions>>
  readonly logger?: Logger
}

function plain({ id }: Builders): readonly unknown[] {
  return [id()]
}

function resource(entity: EntityClass<object>, type: string, declaration: Loose): DeclaredResource {
  const loose = { entity, declaration: { type, ...declaration } }
  return { file: `${type}.ts`, resource: loose as unknown as Resource }
}

const tags = (declaration: Loose = {}) =>
  resource(Tag, 'tags', { fields: ({ id, string }) => [id(), string('name').sortable()], ...declaration })
const books = (declaration: Loose = {}) => resource(Book, 'books', { fields: plain, ...declaration })
const shelves = (declaration: Loose = {}) => resource(Shelf, 'shelves', { fields: plain, ...declaration })
const labels = (declaration: Loose = {}) => resource(Label, 'labels', { fields: plain, ...declaration })

/** The sentences with which the application refuses to start; none when it starts. */
async function listBootFaults(...args: readonly (Options | DeclaredResource)[]): Promise<string[]> {
  const error = await failure(...args)
  if (error && !(error instanceof BootError)) throw error
  return error ? error.message.split('\n') : []
}

const config = appConfig(readConfig({}))
let mapped: ReturnType<typeof mapEntities> | null = null

async function failure(...args: readonly (Options | DeclaredResource)[]): Promise<Error | null> {
  mapped ??= mapEntities([Shelf, Book, Tag, Label, Seller, Good, Stock])
  const options: Options = Object.assign({}, ...args.filter((arg) => !('resource' in arg)))
  const attempt = createApp({
    http: createHttp,
    members: programMembers,
    config,
    plugins,
    resources: args.filter((arg) => 'resource' in arg),
    servers: { default: {}, admin: { prefix: '/admin' } },
    store: createStore({ orm: await mapped }),
    ...options,
  })
  return attempt.then(
    () => null,
    (error: Error) => error,
  )
}
