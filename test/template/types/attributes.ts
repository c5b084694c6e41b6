import { defineResource } from '#kernel'
import { Song } from './entities.ts'

defineResource(Song, {
  type: 'songs',
  fields: ({
    id,
    string,
    email,
    url,
    uuid,
    slug,
    ip,
    integer,
    decimal,
    boolean,
    dateTime,
    date,
    time,
    ...builders
  }) => [
    id(),
    string('title'),
    email('subtitle'),
    url('link').storedAs('subtitle'),
    uuid('code'),
    slug('slug').computed(),
    ip('address').computed(),
    integer('plays'),
    decimal('price'),
    boolean('live'),
    dateTime('recordedAt').format('YYYY-MM-DD').useTimezone('Europe/Berlin').infinity(),
    date('recordedOn').infinity(),
    time('startsAt'),
    builders.arrayList('genres').sorted(),
    builders.arrayHash('extras').sortKeys().sortValues(),
    builders.obj('about', string('note')).storedAs('extras'),
    builders.oneOf('kind').discriminator('of').variant('cover', string('original')).storedAs('extras'),
    builders.map('info', string('subtitle'), integer('count').storedAs('plays')),
  ],
})

defineResource(Song, {
  type: 'songs',
  fields: ({ id, string, integer }) => [
    id(),
    string('loud').computedUsing((song) => song.title.toUpperCase()),
    string('brief')
      .extractUsing(({ title, subtitle }, caller, name) => `${name}${title}${subtitle}${caller?.serverName}`)
      .needs('title', 'subtitle'),
    string('plays').serializeUsing((song) => String(song.plays)),
    string('recordedAt')
      .deserializeUsing((value, data) => new Date(`${value}${data.zone}`))
      .fillUsing((song, value) => {
        song.recordedAt = value as Date
      }),
    string('name').on('band'),
    string('city').on('band.country'),
    string('title').readOnly().readOnlyOnCreate().readOnlyOnUpdate(),
    integer('plays').readOnly((request) => request === null),
    string('subtitle')
      .writeOnly()
      .writeOnly((request) => request !== null),
    string('secret')
      .storedAs('subtitle')
      .hidden()
      .hidden((song, request) => song.live && request !== null),
    string('title')
      .hiddenFor(
        ({ principal, serverName, method }) => principal === null && serverName === 'default' && method === 'GET',
      )
      .hiddenFor((caller) => caller.header('x-team') === undefined),
  ],
})

defineResource(Song, {
  type: 'songs',
  fields: ({ id, string, integer, decimal, boolean, dateTime, arrayList, arrayHash, oneOf, obj, map, ...builders }) => [
    id(),
    // @ts-expect-error 'titel' is not a property of the entity; say storedAs() or computed().
    string('titel'),
    // @ts-expect-error 'titel' is not a property of the entity; say storedAs() or computed().
    string('titel').readOnly(),
    // @ts-expect-error 'shout' is not a property of the entity; say storedAs() or computed().
    string('shout'),
    // @ts-expect-error 'band' is a relation of the entity, not an attribute.
    string('band'),
    // @ts-expect-error 'bands' is a relation of the entity, not an attribute.
    arrayList('bands'),
    // @ts-expect-error The property 'plays' does not hold what a 'string' field holds.
    string('plays'),
    // @ts-expect-error The property 'plays' does not hold what a 'string' field holds.
    string('label').storedAs('plays'),
    // @ts-expect-error The property 'title' does not hold what a 'integer' field holds.
    integer('title'),
    // @ts-expect-error The property 'live' does not hold what a 'decimal' field holds.
    decimal('live'),
    // @ts-expect-error The property 'plays' does not hold what a 'boolean' field holds.
    boolean('plays'),
    // @ts-expect-error The property 'recordedOn' does not hold what a 'dateTime' field holds.
    dateTime('recordedOn'),
    // @ts-expect-error The property 'title' does not hold what a 'arrayList' field holds.
    arrayList('title'),
    // @ts-expect-error 'extra' is not a property of the entity; say storedAs() or computed().
    arrayHash('extra'),
    // @ts-expect-error 'extra' is not a property of the entity; say storedAs() or computed().
    oneOf('extra'),
    // @ts-expect-error 'extra' is not a property of the entity; say storedAs() or computed().
    obj('extra', string('note')),
    // @ts-expect-error 'titel' is not a property of the entity; say storedAs() or computed().
    map('info', string('titel')),
    // @ts-expect-error The property 'title' does not hold what a 'integer' field holds.
    map('info', integer('title')),
    // @ts-expect-error The property 'plays' does not hold what a 'slug' field holds.
    builders.slug('plays'),
    // @ts-expect-error The property 'plays' does not hold what a 'url' field holds.
    builders.url('plays'),
    // @ts-expect-error The property 'plays' does not hold what a 'date' field holds.
    builders.date('plays'),
    // @ts-expect-error The property 'plays' does not hold what a 'time' field holds.
    builders.time('plays'),
  ],
})

// A separate declaration: an unknown property makes the compiler skip the check of the list.
defineResource(Song, {
  type: 'songs',
  fields: ({ id, string, integer, boolean, dateTime, arrayHash, oneOf }) => [
    id(),
    // @ts-expect-error Argument of type '"titel"' is not assignable to parameter of type
    string('label').storedAs('titel'),
    // @ts-expect-error Argument of type '"band"' is not assignable to parameter of type
    string('label').storedAs('band'),
    // @ts-expect-error Property 'titel' does not exist
    string('loud').computedUsing((song) => song.titel),
    // @ts-expect-error Property 'band' does not exist
    string('loud').extractUsing((song) => song.band),
    // @ts-expect-error Property 'titel' does not exist
    string('loud').serializeUsing((song) => song.titel),
    // @ts-expect-error Property 'titel' does not exist
    string('loud').fillUsing((song) => song.titel),
    // @ts-expect-error is not assignable to parameter of type
    string('title').deserializeUsing('trim'),
    // @ts-expect-error Argument of type '"titel"' is not assignable to parameter of type
    string('title').needs('titel'),
    // @ts-expect-error Argument of type '"band"' is not assignable to parameter of type
    string('title').needs('band'),
    // @ts-expect-error Argument of type '"bands"' is not assignable to parameter of type
    string('name').on('bands'),
    // @ts-expect-error Argument of type '"title"' is not assignable to parameter of type
    string('name').on('title'),
    // @ts-expect-error Type 'string' is not assignable to type
    string('title').readOnly((request) => `${request}`),
    // @ts-expect-error Property 'titel' does not exist
    string('title').hidden((song) => song.titel === ''),
    // @ts-expect-error Expected 1 arguments, but got 0.
    string('title').hiddenFor(),
    // @ts-expect-error Property 'title' does not exist
    string('title').hiddenFor((caller) => caller.title === ''),
    // @ts-expect-error Argument of type 'boolean' is not assignable to parameter of type
    boolean('live').writeOnly(true),
    // @ts-expect-error Property 'shiny' does not exist
    string('title').shiny(),
    // @ts-expect-error Property 'format' does not exist
    string('title').format('YYYY'),
    // @ts-expect-error Property 'infinity' does not exist
    string('title').infinity(),
    // @ts-expect-error Property 'sorted' does not exist
    arrayHash('extras').sorted(),
    // @ts-expect-error Property 'variant' does not exist
    integer('plays').variant('cover'),
    // @ts-expect-error Argument of type 'number' is not assignable to parameter of type
    dateTime('recordedAt').useTimezone(2),
    // @ts-expect-error Expected 0 arguments, but got 1.
    arrayHash('extras').sortKeys(true),
    // @ts-expect-error Expected 0 arguments, but got 1.
    arrayHash('extras').sortValues(true),
    // @ts-expect-error Argument of type 'number' is not assignable to parameter of type
    oneOf('extras').discriminator(1),
    // @ts-expect-error Argument of type 'string' is not assignable to parameter of type
    string('title').readOnlyOnCreate('yes'),
    // @ts-expect-error Argument of type 'string' is not assignable to parameter of type
    string('title').readOnlyOnUpdate('yes'),
  ],
})
