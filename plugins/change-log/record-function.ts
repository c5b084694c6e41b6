/**
 * The function of the triggers. Its argument, a `TableRecord`, says which types the rows of a table are resources of, and to
 * which relationships of other types they belong. Values are compared and stored as texts, so that no digit is lost.
 */
export const recordFunction = `create function change_log_record() returns trigger language plpgsql as $function$
declare
  recorded jsonb := tg_argv[0]::jsonb;
  old_row jsonb := case when tg_op = 'INSERT' then '{}'::jsonb else to_jsonb(old) end;
  new_row jsonb := case when tg_op = 'DELETE' then '{}'::jsonb else to_jsonb(new) end;
  entry jsonb;
  change text;
  changed text[];
  old_values jsonb;
  new_values jsonb;
  old_key text;
  new_key text;
  deleted text;
  author text := nullif(current_setting('change_log.principal', true), '');
  request_id text := nullif(current_setting('change_log.request', true), '');
begin
  if tg_op = 'UPDATE' and old_row = new_row then
    return null;
  end if;
  for entry in select value from jsonb_array_elements(recorded -> 'rows') loop
    continue when entry -> 'discriminator' is not null and not (entry -> 'values') @>
      coalesce(new_row -> (entry ->> 'discriminator'), old_row -> (entry ->> 'discriminator'));
    deleted := entry ->> 'deleted';
    change := case
      when tg_op = 'INSERT' then 'created'
      when tg_op = 'DELETE' then 'deleted'
      when deleted is not null and old_row ->> deleted is null and new_row ->> deleted is not null then 'deleted'
      when deleted is not null and old_row ->> deleted is not null and new_row ->> deleted is null then 'restored'
      else 'updated' end;
    select coalesce(array_agg(distinct member), '{}') into changed
      from jsonb_each(entry -> 'columns') c(name, members), jsonb_array_elements_text(c.members) m(member)
      where change in ('created', 'updated') and (old_row ->> c.name) is distinct from (new_row ->> c.name);
    old_values := null;
    new_values := null;
    if entry -> 'kept' is not null then
      select jsonb_object_agg(v.member, old_row ->> v.name), jsonb_object_agg(v.member, new_row ->> v.name)
        into old_values, new_values
        from jsonb_each_text(entry -> 'kept') v(member, name)
        where tg_op = 'DELETE' or (old_row ->> v.name) is distinct from (new_row ->> v.name);
    end if;
    insert into change_log (type, key, kind, members, before, after, principal, request) values (
      entry ->> 'type', case when tg_op = 'DELETE' then old_row else new_row end ->> (entry ->> 'key'), change, changed,
      case when tg_op <> 'INSERT' then old_values end, case when tg_op <> 'DELETE' then new_values end, author, request_id);
  end loop;
  for entry in select value from jsonb_array_elements(recorded -> 'links') loop
    old_key := case when entry -> 'discriminator' is null or (entry -> 'values') @> (old_row -> (entry ->> 'discriminator'))
      then old_row ->> (entry ->> 'owner') end;
    new_key := case when entry -> 'discriminator' is null or (entry -> 'values') @> (new_row -> (entry ->> 'discriminator'))
      then new_row ->> (entry ->> 'owner') end;
    if old_key is not distinct from new_key
      and (old_row ->> (entry ->> 'memberKey')) is not distinct from (new_row ->> (entry ->> 'memberKey')) then
      insert into change_log (type, key, kind, members, before, after, principal, request)
        select entry ->> 'type', new_key, 'related', array[entry ->> 'member'], kept.member, kept.member, author, request_id
        from (select case when entry -> 'keeps' is not null
          then jsonb_build_object(entry ->> 'member', new_row ->> (entry ->> 'memberKey')) end as member) kept
        where new_key is not null and exists (
          select from jsonb_array_elements_text(entry -> 'columns') c(name)
          where (old_row ->> c.name) is distinct from (new_row ->> c.name));
      continue;
    end if;
    if old_key is not null then
      insert into change_log (type, key, kind, members, before, principal, request) values (
        entry ->> 'type', old_key, 'related', array[entry ->> 'member'],
        case when entry -> 'keeps' is not null then jsonb_build_object(entry ->> 'member', old_row ->> (entry ->> 'memberKey')) end,
        author, request_id);
    end if;
    if new_key is not null then
      insert into change_log (type, key, kind, members, after, principal, request) values (
        entry ->> 'type', new_key, 'related', array[entry ->> 'member'],
        case when entry -> 'keeps' is not null then jsonb_build_object(entry ->> 'member', new_row ->> (entry ->> 'memberKey')) end,
        author, request_id);
    end if;
  end loop;
  return null;
end
$function$`
