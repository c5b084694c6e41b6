import { createClient } from '#client'
import type { Api } from './depots.ts'

// Calls that both forms of the types accept and refuse: those of declarations, and those written from the OpenAPI document.

const api = createClient<Api>({ url: '' })
const depot = api.depots.ref('1')
const tool = api.tools.ref('1')

// A type without writable attributes, relations or filters accepts no others.
api.tools.create({})
api.tools.update('1', {}, { ifMatch: 'x' })
api.tools.list({ page: { number: 1 } })
api.marks.create({}, { relations: { depot } })
api.$batch(({ tools, marks }) => [tools.create({}), tools.update('1', {}), marks.update('1', {})])
// @ts-expect-error Type 'string' is not assignable to type 'never'.
api.tools.create({ name: 'x' })
// @ts-expect-error Type 'string' is not assignable to type 'never'.
api.tools.update('1', { name: 'x' })
// @ts-expect-error 'relations' does not exist in type
api.tools.create({}, { relations: { depot } })
// @ts-expect-error 'relations' does not exist in type
api.tools.update('1', {}, { relations: { depot } })
// @ts-expect-error 'relations' does not exist in type
api.marks.update('1', {}, { relations: { depot } })
// @ts-expect-error 'filter' does not exist in type
api.tools.list({ filter: { name: 'x' } })
// @ts-expect-error 'filter' does not exist in type
api.parts.related('1', 'tool', { filter: { name: 'x' } })
// @ts-expect-error Type 'number' is not assignable to type 'never'.
api.$batch(({ tools }) => tools.create({ name: 1 }))
// @ts-expect-error Type 'number' is not assignable to type 'never'.
api.$batch(({ tools }) => tools.update('1', { name: 1 }))
// @ts-expect-error Expected 1 arguments, but got 2.
api.$batch(({ tools }) => tools.create({}, { relations: { depot } }))
// @ts-expect-error Expected 2 arguments, but got 3.
api.$batch(({ marks }) => marks.update('1', {}, { relations: { depot } }))

// A required to-one is never null.
api.parts.update('1', {}, { relations: { tool: null } })
api.parts.replace('1', 'tool', null)
api.$batch(({ parts }) => parts.replace('1', 'tool', null))
// @ts-expect-error Type 'null' is not assignable to type
api.parts.update('1', {}, { relations: { depot: null } })
// @ts-expect-error Argument of type 'null' is not assignable to parameter of type
api.parts.replace('1', 'depot', null)
// @ts-expect-error Type 'null' is not assignable to type
api.$batch(({ parts }) => parts.update('1', {}, { relations: { depot: null } }))
// @ts-expect-error Argument of type 'null' is not assignable to parameter of type
api.$batch(({ parts }) => parts.replace('1', 'depot', null))

// A new membership has its required values; one that other writes send may be stored already.
const named = { name: 'x' }
api.depots.add('1', 'tools', [{ ...tool, pivot: { count: 1 } }])
api.depots.create(named, { relations: { tools: [{ ...tool, pivot: { count: 1, state: 'used' } }] } })
api.depots.replace('1', 'tools', [tool, { ...tool, pivot: { state: 'new' } }])
api.depots.update('1', {}, { relations: { tools: [tool] } })
api.depots.removeFrom('1', 'tools', [tool])
// @ts-expect-error Property 'pivot' is missing in type
api.depots.add('1', 'tools', [tool])
// @ts-expect-error Property 'count' is missing in type
api.depots.add('1', 'tools', [{ ...tool, pivot: { state: 'new' } }])
// @ts-expect-error Property 'pivot' is missing in type
api.depots.create(named, { relations: { tools: [tool] } })
// @ts-expect-error Property 'pivot' is missing in type
api.$batch(({ depots }) => depots.add('1', 'tools', [tool]))
// @ts-expect-error Type 'string' is not assignable to type 'number'.
api.depots.replace('1', 'tools', [{ ...tool, pivot: { count: '1' } }])

// Items of a list have the type that the column holds.
api.depots.update('1', { aliases: ['a'], weights: [0.5], codes: ['9007199254740993', 1] })
// @ts-expect-error Type 'number' is not assignable to type 'string'.
api.depots.update('1', { aliases: [1] })
// @ts-expect-error Type 'null' is not assignable to type 'string'.
api.depots.update('1', { aliases: [null] })
// @ts-expect-error Type 'string' is not assignable to type 'number'.
api.depots.update('1', { weights: ['a'] })
// @ts-expect-error Type 'boolean' is not assignable to type
api.depots.update('1', { codes: [true] })

// A filter for equal values accepts those that the attribute lists, unless it has a rule of its own.
api.depots.list({ filter: { zone: 'north', elsewhere: 'south', zones: ['north', 'south'], grade: 2, grades: 1 } })
api.depots.list({ filter: { anyZone: 'west', over: 3, graded: { min: 0 }, part: 'n', tier: 'a', either: 'x' } })
api.depots.list({ filter: { standing: null, retired: true } })
// @ts-expect-error Type '"west"' is not assignable to type '"north" | "south" | undefined'.
api.depots.list({ filter: { zone: 'west' } })
// @ts-expect-error Type '"west"' is not assignable to type '"north" | "south" | undefined'.
api.depots.list({ filter: { elsewhere: 'west' } })
// @ts-expect-error Type '"west"' is not assignable to type '"north" | "south"'.
api.depots.list({ filter: { zones: ['north', 'west'] } })
// @ts-expect-error Type '3' is not assignable to type '1 | 2 | undefined'.
api.depots.list({ filter: { grade: 3 } })
// @ts-expect-error Type '3' is not assignable to type
api.depots.list({ filter: { grades: 3 } })
// @ts-expect-error Type '"west"' is not assignable to type '"north" | "south" | null | undefined'.
api.depots.list({ filter: { standing: 'west' } })
// @ts-expect-error Type '"west"' is not assignable to type '"north" | "south" | undefined'.
api.parts.related('1', 'depot', { filter: { zone: 'west' } })
