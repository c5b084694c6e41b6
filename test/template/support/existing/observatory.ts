/**
 * An observatory: names in the singular, an aggregate, functions and an operator in views, a materialized view without rows,
 * columns that triggers fill, domains, arrays of `real`, secrets, and partitions with keys of time and foreign keys of their own.
 */
export const observatory: readonly string[] = [
  `create type night_state as enum ('clear', 'cloudy', 'closed')`,
  'create domain year as integer check (value between 1600 and 2200)',
  `create domain email as text check (value like '%@%')`,
  `create function add_name(names text, name text) returns text language sql immutable as
    $$ select case when names = '' then name else names || ', ' || name end $$`,
  `create aggregate name_list(text) (sfunc = add_name, stype = text, initcond = '')`,
  `create function is_brighter(a real, b real) returns boolean language sql immutable as 'select a < b'`,
  'create operator <<< (leftarg = real, rightarg = real, function = is_brighter)',
  `create function pi_ratio() returns double precision language internal immutable as 'dpi'`,
  'create table site (site_id smallserial primary key, name varchar(60) not null unique, altitude integer)',
  'create index site_altitude on site (altitude)',
  `create table observer (
    observer_id serial primary key,
    site_id smallint not null references site,
    mentor_id integer references observer,
    name text not null,
    contact email,
    password text,
    password_changed_at timestamptz,
    pin_hash bytea,
    ssn char(11),
    session_token uuid,
    has_token boolean not null default false,
    born_in year,
    started_on date not null default current_date,
    last_change timestamptz not null default now()
  )`,
  'create index observer_site on observer (site_id)',
  'create index observer_started on observer (started_on)',
  `create table telescope (
    telescope_id serial primary key,
    site_id smallint not null references site,
    name varchar(60) not null unique,
    aperture numeric(5, 2) not null,
    response real[],
    steps real[] not null default '{0.5,1}',
    is_open boolean not null default true
  )`,
  'create index telescope_aperture on telescope (aperture)',
  `create table star (
    star_id serial primary key,
    name text not null,
    description text,
    slug text not null,
    magnitude real,
    best night_state,
    search tsvector not null,
    last_change timestamptz not null default now()
  )`,
  'create index star_search on star using gist (search)',
  'create index star_magnitude on star (magnitude)',
  'create unique index star_slug on star (slug)',
  `create table star_observer (
    star_id integer not null references star,
    observer_id integer not null references observer,
    last_change timestamptz not null default now(),
    primary key (star_id, observer_id)
  )`,
  `create table api_session (token text primary key, observer_id integer references observer)`,
  `create table exposure (
    exposure_id serial,
    telescope_id integer not null,
    star_id integer not null,
    seconds numeric(7, 3) not null,
    taken_at timestamptz not null,
    primary key (taken_at, exposure_id)
  ) partition by range (taken_at)`,
  ...['2025', '2026'].flatMap((year) => [
    `create table exposure_${year} partition of exposure for values from ('${year}-01-01 00:00+00') to ('${Number(year) + 1}-01-01 00:00+00')`,
    `alter table exposure_${year} add constraint exposure_${year}_telescope foreign key (telescope_id) references telescope`,
    `alter table exposure_${year} add constraint exposure_${year}_star foreign key (star_id) references star on delete cascade`,
    `create index exposure_${year}_star_id on exposure_${year} (star_id)`,
  ]),
  'alter table exposure_2026 add constraint exposure_2026_seconds check (seconds > 0)',
  `create table reading (sensor text, at timestamptz, value real, primary key (sensor, at)) partition by range (at)`,
  `create table reading_all partition of reading default`,
  `create function touch() returns trigger language plpgsql as $$ begin new.last_change = now(); return new; end $$`,
  `create function fill_slug() returns trigger language plpgsql as $$
    begin
      new.slug := lower(replace(new.name, ' ', '-')) || '-' || new.star_id;
      new.description := trim(new.description);
      return new;
    end $$`,
  'create trigger observer_touch before update on observer for each row execute function touch()',
  'create trigger star_touch before update on star for each row execute function touch()',
  'create trigger star_slug before insert or update on star for each row execute function fill_slug()',
  `create trigger star_search before insert or update on star for each row
    execute function tsvector_update_trigger(search, 'pg_catalog.simple', name, description)`,
  'create function observers_of(site smallint) returns bigint language sql stable as $$ select count(*) from observer where site_id = site $$',
  'create function transfer(observer integer, site smallint default 1) returns void language sql as $$ update observer set site_id = $2 where observer_id = $1 $$',
  `create view site_list as select s.site_id as id, s.name, name_list(o.name) as observers, observers_of(s.site_id) as count
    from site s left join observer o using (site_id) group by s.site_id`,
  'create view bright_star as select star_id as id, name, magnitude from star where magnitude <<< 3::real',
  'create view ratio as select n as id, pi_ratio() as value from generate_series(1, 2) n',
  `create materialized view telescope_summary as select telescope_id, count(*) as exposures from exposure group by telescope_id
    with no data`,
  'create materialized view star_summary as select star_id, count(*) as exposures from exposure group by star_id',
  'create unique index star_summary_id on star_summary (star_id)',
  `insert into site (name, altitude) values ('North', 2400), ('South', 2600)`,
  `insert into observer (site_id, mentor_id, name, contact, password, ssn, born_in) select 1 + n % 2, nullif(n - 1, 0), 'Observer ' || n,
    n || '@example.com', 'secret', '000-00-0000', 1980 from generate_series(1, 5) n`,
  `insert into telescope (site_id, name, aperture, response) select 1 + n % 2, 'Telescope ' || n, n * 1.25, '{0.1,1.5,-3e-05}' from generate_series(1, 3) n`,
  `insert into star (name, description, magnitude, best) select 'Star ' || n, ' A star ', n, 'clear' from generate_series(1, 6) n`,
  'insert into star_observer (star_id, observer_id) select star_id, observer_id from star cross join observer where star_id < 4',
  `insert into api_session values ('a-secret', 1)`,
  `insert into exposure (telescope_id, star_id, seconds, taken_at) select 1 + n % 3, 1 + n % 6, 1.5,
    timestamptz '2025-06-01 00:00+00' + n * interval '30 days' from generate_series(1, 12) n`,
  `insert into reading select s, timestamptz '2026-01-01 00:00:00.25+00' + n * interval '1 hour', n from generate_series(1, 4) n cross join (values ('dew'), ('wind.max')) v (s)`,
  'refresh materialized view star_summary',
]

/** A view, a column and a function of extensions and languages that only servers have. */
export const onServers: readonly string[] = [
  'create extension xml2',
  `create view valid_note as select star_id as id, xml_valid(description) as valid from star`,
]
