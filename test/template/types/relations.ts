import { defineResource } from '#kernel'
import { Link, Membership, Song } from './entities.ts'

defineResource(Song, {
  type: 'songs',
  fields: ({ id, belongsTo, hasOne, hasMany, belongsToMany, morphToMany }) => [
    id(),
    belongsTo('band', 'bands').withData().withUriFieldName('group').inverseType('songs'),
    belongsTo('group', 'bands').storedAs('band').withoutLinks(),
    hasOne('sleeve', 'sleeves').withoutRelatedEndpoint().withoutRelationshipEndpoint(),
    hasMany('links', 'links')
      .readOnly()
      .readOnlyOnCreate()
      .readOnlyOnUpdate((request) => request === null)
      .hidden((song) => song.live)
      .hiddenFor(({ principal }) => principal === null),
    hasMany('others', 'links')
      .storedAs('links')
      .cannotReplace()
      .cannotAdd((song) => song === null)
      .cannotRemove((song, request) => song?.live === true && request !== null),
    belongsToMany('bands', 'bands').identifierMeta((song, band) => ({ of: song.title, is: band.name })),
    belongsToMany('bands', 'bands')
      .through(Membership)
      .fields(({ integer }) => [integer('position').hiddenFor(() => true)]),
    morphToMany('links', ['bands', 'sleeves']).throughProperty('member'),
  ],
})

defineResource(Link, {
  type: 'links',
  fields: ({ id, morphTo }) => [id(), morphTo('member', ['bands', 'sleeves'])],
})

defineResource(Song, {
  type: 'songs',
  fields: ({ id, belongsTo, hasOne, hasMany, belongsToMany, morphTo, morphToMany }) => [
    id(),
    // @ts-expect-error 'bnad' is not a to-one relation of the entity (is it declared with .ref()?).
    belongsTo('bnad', 'bands'),
    // @ts-expect-error 'title' is not a to-one relation of the entity (is it declared with .ref()?).
    belongsTo('title', 'bands'),
    // @ts-expect-error 'bands' is not a to-one relation of the entity (is it declared with .ref()?).
    belongsTo('bands', 'bands'),
    // @ts-expect-error 'unreferenced' is not a to-one relation of the entity (is it declared with .ref()?).
    belongsTo('unreferenced', 'bands'),
    // @ts-expect-error 'links' is not a to-one relation of the entity (is it declared with .ref()?).
    hasOne('links', 'links'),
    // @ts-expect-error 'band' is not a collection of the entity.
    hasMany('band', 'bands'),
    // @ts-expect-error 'title' is not a collection of the entity.
    hasMany('title', 'bands'),
    // @ts-expect-error 'sleeve' is not a collection of the entity.
    belongsToMany('sleeve', 'sleeves'),
    // @ts-expect-error 'links' is not a to-one relation of the entity (is it declared with .ref()?).
    morphTo('links', ['bands', 'sleeves']),
    // @ts-expect-error 'band' is not a collection of the entity.
    morphToMany('band', ['bands', 'sleeves']),
  ],
})

defineResource(Song, {
  type: 'songs',
  fields: ({ id, belongsTo, hasMany, belongsToMany, morphTo, morphToMany }) => [
    id(),
    // @ts-expect-error Argument of type '"title"' is not assignable to parameter of type
    belongsTo('group', 'bands').storedAs('title'),
    // @ts-expect-error Argument of type '"bands"' is not assignable to parameter of type
    belongsTo('group', 'bands').storedAs('bands'),
    // @ts-expect-error Argument of type '"band"' is not assignable to parameter of type
    hasMany('others', 'links').storedAs('band'),
    // @ts-expect-error Argument of type '"bnads"' is not assignable to parameter of type
    belongsToMany('groups', 'bands').storedAs('bnads'),
    // @ts-expect-error Argument of type '"title"' is not assignable to parameter of type
    morphToMany('links', ['bands']).throughProperty('title'),
    // @ts-expect-error Property 'fields' does not exist
    belongsToMany('bands', 'bands').fields(() => []),
    // @ts-expect-error Property 'through' does not exist
    hasMany('links', 'links').through(Membership),
    // @ts-expect-error Argument of type 'string' is not assignable to parameter of type
    morphTo('band', 'bands'),
    // @ts-expect-error Argument of type 'string[]' is not assignable to parameter of type
    belongsTo('band', ['bands', 'sleeves']),
    // @ts-expect-error Expected 2 arguments, but got 1.
    hasMany('links'),
    // @ts-expect-error Property 'computed' does not exist
    belongsTo('band', 'bands').computed(),
    // @ts-expect-error Property 'shiny' does not exist
    hasMany('links', 'links').shiny(),
    // @ts-expect-error Property 'titel' does not exist
    hasMany('links', 'links').cannotAdd((song) => song?.titel === ''),
    // @ts-expect-error Property 'nmae' does not exist
    belongsToMany('bands', 'bands').identifierMeta((_, band) => ({ is: band.nmae })),
    // @ts-expect-error Property 'titel' does not exist
    belongsTo('band', 'bands').hidden((song) => song.titel === ''),
    // @ts-expect-error Property 'title' does not exist
    belongsTo('band', 'bands').hiddenFor((caller) => caller.title === ''),
    // @ts-expect-error Argument of type 'number' is not assignable to parameter of type
    belongsTo('band', 'bands').withUriFieldName(1),
    // @ts-expect-error Expected 0 arguments, but got 1.
    hasMany('links', 'links').withData(true),
    // @ts-expect-error Expected 0 arguments, but got 1.
    hasMany('links', 'links').withoutLinks(true),
    // @ts-expect-error Expected 0 arguments, but got 1.
    hasMany('links', 'links').withoutRelatedEndpoint(true),
    // @ts-expect-error Expected 0 arguments, but got 1.
    hasMany('links', 'links').withoutRelationshipEndpoint(true),
    // @ts-expect-error Argument of type 'number' is not assignable to parameter of type
    belongsTo('band', 'bands').inverseType(1),
    // @ts-expect-error Property 'titel' does not exist
    hasMany('links', 'links').cannotReplace((song) => song?.titel === ''),
    // @ts-expect-error Property 'titel' does not exist
    hasMany('links', 'links').cannotRemove((song) => song?.titel === ''),
  ],
})

defineResource(Song, {
  type: 'songs',
  fields: ({ id, belongsToMany }) => [
    id(),
    belongsToMany('bands', 'bands')
      .through(Membership)
      // @ts-expect-error 'positoin' is not a property of the entity; say storedAs() or computed().
      .fields(({ integer }) => [integer('positoin')]),
  ],
})
