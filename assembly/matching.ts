/**
 * Sparse blossom: minimum-weight perfect matching of detection events on a graph of detectors, by regions that grow from
 * the events. It is Edmonds' blossom algorithm where the edges between events are found only as regions meet. The module
 * has a memory of its own; src/decoding/matcher.ts lays it out and writes the graph.
 *
 * Detectors, regions and nodes of alternating trees are records of 64 bytes, a cache line. Their addresses are their
 * names; 0 is none, and the record there is all zeros. A shot allocates nothing.
 *
 * A region is a ball about an event, or a blossom: an odd cycle of regions that grow as one. Regions grow, stay or shrink
 * at unit speed. They are followed from detector to detector up to where something is to be decided: two regions meet, one
 * meets the boundary, or one has shrunk to nothing.
 *
 * Outer regions of alternating trees grow, and inner ones, which are matched to their children, shrink. A node of a tree
 * is an inner region and its child; at the root it is an outer region alone.
 *
 * @see Higgott & Gidney, "Sparse Blossom: correcting a million errors per core second with minimum-weight matching",
 *   2023, sections 4 and 5; PyMatching (Apache License 2.0), whose rules of events these are.
 */
import { clearQueue, NOTHING, now, openQueue, pop, push } from './matching-queue';

const RECORD: usize = 64;
/** No time. */
const NEVER: i32 = 0x7fffffff;
/** Stands for the boundary where a detector may be, and for the edge to it. */
const BOUNDARY: usize = 1;

// Detectors. The first eleven fields and `IS_USED` are of the shot.
/** The smallest region that covers the detector, and the largest. */
const REGION: usize = 0;
const TOP: usize = 4;
/** Radius about the detector, less that of `TOP`: the radii of the regions below that, less `ARRIVAL`. */
const WRAPPED: usize = 8;
/** Radius that `REGION` had when it arrived. */
const ARRIVAL: usize = 12;
/** The detection event from which its region came, and the observables on the way from there. */
const SOURCE: usize = 16;
const CROSSED: usize = 20;
/** The detector where its region arrived before it. */
const BEFORE: usize = 24;
/** Detectors and regions have here when to look at them, and for when the queue has them; NEVER if it does not. */
const DUE: usize = 28;
const QUEUED: usize = 32;
/** Addresses of its first edge to another detector, and after its last one. */
const EDGES: usize = 36;
const EDGES_END: usize = 40;
/** The weight of the edge to the boundary, NEVER if there is none, and its observables. */
const BOUNDARY_WEIGHT: usize = 44;
const BOUNDARY_OBSERVABLES: usize = 48;
const IS_USED: usize = 52;

// Edges, at each of their ends.
const OTHER: usize = 0;
const WEIGHT: usize = 4;
const OBSERVABLES: usize = 8;
const EDGE: usize = 12;

// Regions. Their radius at time t is `RADIUS` + `GROWTH` t; the growth is 1, 0 or −1. A blossom's is what it grew as one.
const RADIUS: usize = 0;
const GROWTH: usize = 4;
/** The blossom that has the region in its cycle. */
const BLOSSOM: usize = 8;
/** The node that has the region. */
const TREE: usize = 12;
/** The detector where it arrived last. */
const LAST: usize = 16;
/** The region that it is matched to, 0 for the boundary; TAKEN once its match was read. */
const MATCH: usize = 20;
const TAKEN: usize = 1;
/** The first region of a blossom's cycle, and the next region of the cycle that a region is part of. */
const CYCLE: usize = 24;
const NEXT: usize = 36;
/** Links to the match, and to the next region of the cycle or else the first. */
const MATCH_LINK: usize = 40;
const CYCLE_LINK: usize = 52;

// Links: the events at both ends, and the observables that the shortest way between them crosses.
const FROM: usize = 0;
const TO: usize = 4;
const BETWEEN: usize = 8;

// Nodes of trees.
const INNER: usize = 0;
const OUTER: usize = 4;
const PARENT: usize = 8;
/** The first child, and the next and the previous one of the same parent. */
const CHILD: usize = 12;
const SIBLING: usize = 16;
const PREVIOUS: usize = 20;
/** The search for a common ancestor that saw the node last. */
const SEEN: usize = 24;
/** Links from the inner to the outer region, and from the inner to the parent's outer one. */
const INNER_LINK: usize = 28;
const PARENT_LINK: usize = 40;

// The ways in which two places can come together. The matcher decides one of them at a time.
const NO_MEETING = 0;
const REGIONS_MEET = 1;
const AT_BOUNDARY = 2;
const SHRUNK = 3;
const IMPLODED = 4;

/** First region and node, ends of those that the shot has used, and those among them that it uses no more. */
let regions: usize = 0;
let regionsEnd: usize = 0;
let freeRegion: usize = 0;
let nodes: usize = 0;
let nodesEnd: usize = 0;
let freeNode: usize = 0;
/** Lists: the detectors that the shot has used, and three for steps of the matcher. */
let used: usize = 0;
let usedEnd: usize = 0;
let list: usize = 0;
let list2: usize = 0;
let list3: usize = 0;
/** Trees without a match: as long as there are any, regions grow. */
let numTrees = 0;
let searches = 0;
/** Regions of the last meeting, the second 0 where there is one alone, and their link, at `link`. */
let first: usize = 0;
let second: usize = 0;
let link: usize = 0;
/** A link that is kept while a blossom is taken apart. */
let keptLink: usize = 0;
/** The edge that `nextTime` found. */
let nextEdge: usize = 0;

// @ts-ignore: a decorator of this compiler
@inline
function get(at: usize, field: usize): usize {
  return <usize>load<u32>(at + field);
}

// @ts-ignore: a decorator of this compiler
@inline
function set(at: usize, field: usize, value: usize): void {
  store<u32>(at + field, <u32>value);
}

// @ts-ignore: a decorator of this compiler
@inline
function num(at: usize, field: usize): i32 {
  return load<i32>(at + field);
}

// @ts-ignore: a decorator of this compiler
@inline
function setNum(at: usize, field: usize, value: i32): void {
  store<i32>(at + field, value);
}

/**
 * Says where the parts of the memory are, addresses all. Detectors and edges are written by the host, with NEVER where
 * they have no time; regions have NEVER in `QUEUED`.
 *
 * @param lists - Room for seven numbers a detector and fourteen more.
 * @param queue - Address after everything else.
 */
export function open(
  numDetectors: i32,
  regionsAt: usize,
  nodesAt: usize,
  lists: usize,
  queue: usize,
): void {
  regions = regionsEnd = regionsAt;
  nodes = nodesEnd = nodesAt;
  const size = 8 * <usize>(numDetectors + 1);
  link = lists;
  keptLink = link + 12;
  used = usedEnd = keptLink + 12;
  list = used + (size >> 1);
  list2 = list + size;
  list3 = list2 + size;
  openQueue(queue);
}

/**
 * Matches events, each to another one or to the boundary, with the least sum of weights. There has to be a matching.
 *
 * @param events - Address of the addresses of distinct detectors.
 * @returns Observables that the edges of the matching flip.
 */
export function match(events: usize, numEvents: i32): i32 {
  const end = events + (<usize>numEvents << 2);
  for (let at = events; at < end; at += 4) start(load<u32>(at));
  for (let at = events; at < end; at += 4) reschedule(get(load<u32>(at), TOP));
  numTrees = numEvents;
  while (numTrees > 0) {
    switch (nextMeeting()) {
      case REGIONS_MEET:
        meet(first, second);
        break;
      case AT_BOUNDARY:
        meetBoundary(first);
        break;
      case SHRUNK:
        shatter(first);
        break;
      case IMPLODED:
        implode(first);
        break;
      default:
        unreachable();
    }
  }
  let observables = 0;
  for (let at = events; at < end; at += 4) observables ^= taken(get(load<u32>(at), TOP));
  clear();
  return observables;
}

/** Starts a region at a detection event, the root of a tree. */
function start(event: usize): void {
  const region = addRegion(0);
  set(event, ARRIVAL, 0);
  set(event, SOURCE, event);
  set(event, CROSSED, 0);
  cover(event, region, 0);
  addNode(0, region);
}

/** Ends a shot. */
function clear(): void {
  clearQueue();
  for (let at = used; at < usedEnd; at += 4) {
    const detector = <usize>load<u32>(at);
    empty(detector);
    setNum(detector, DUE, NEVER);
    setNum(detector, QUEUED, NEVER);
    set(detector, IS_USED, 0);
  }
  usedEnd = used;
  for (let region = regions; region < regionsEnd; region += RECORD) setNum(region, QUEUED, NEVER);
  regionsEnd = regions;
  freeRegion = 0;
  nodesEnd = nodes;
  freeNode = 0;
  searches = 0;
}

// Links.

// @ts-ignore: a decorator of this compiler
@inline
function setLink(at: usize, from: usize, to: usize, between: usize): void {
  set(at, FROM, from);
  set(at, TO, to);
  set(at, BETWEEN, between);
}

// @ts-ignore: a decorator of this compiler
@inline
function copyLink(at: usize, other: usize): void {
  setLink(at, get(other, FROM), get(other, TO), get(other, BETWEEN));
}

/** Takes over a link, seen from its other end. */
// @ts-ignore: a decorator of this compiler
@inline
function copyReversed(at: usize, other: usize): void {
  setLink(at, get(other, TO), get(other, FROM), get(other, BETWEEN));
}

// Detectors and regions.

function cover(detector: usize, region: usize, wrapped: i32): void {
  if (get(detector, IS_USED) == 0) {
    set(detector, IS_USED, 1);
    store<u32>(usedEnd, <u32>detector);
    usedEnd += 4;
  }
  set(detector, REGION, region);
  set(detector, TOP, region);
  setNum(detector, WRAPPED, wrapped);
  set(detector, BEFORE, get(region, LAST));
  set(region, LAST, detector);
}

/** No region covers the detector any more. */
// @ts-ignore: a decorator of this compiler
@inline
function empty(detector: usize): void {
  set(detector, REGION, 0);
  set(detector, TOP, 0);
  set(detector, WRAPPED, 0);
}

/** A region without detectors that grows from a time on. */
function addRegion(from: i32): usize {
  let region = freeRegion;
  if (region != 0) freeRegion = get(region, NEXT);
  else {
    region = regionsEnd;
    regionsEnd += RECORD;
  }
  setNum(region, RADIUS, -from);
  setNum(region, GROWTH, 1);
  set(region, BLOSSOM, 0);
  set(region, TREE, 0);
  set(region, LAST, 0);
  set(region, MATCH, 0);
  set(region, CYCLE, 0);
  setNum(region, DUE, NEVER);
  return region;
}

/** Grows, stays or shrinks from now on. */
function change(region: usize, growth: i32): void {
  const radius = num(region, RADIUS) + num(region, GROWTH) * now;
  setNum(region, RADIUS, radius - growth * now);
  setNum(region, GROWTH, growth);
}

/** Two regions are matched by a link from the first to the second. */
function pair(region: usize, other: usize, by: usize): void {
  set(region, MATCH, other);
  set(other, MATCH, region);
  copyLink(region + MATCH_LINK, by);
  copyReversed(other + MATCH_LINK, by);
}

/**
 * Says of a region's detectors, and of those in it, which region is the largest about them.
 *
 * @param radius - Radii from this region to the one below `top`.
 */
function setTop(region: usize, top: usize, radius: i32): void {
  for (let each = get(region, LAST); each != 0; each = get(each, BEFORE)) {
    set(each, TOP, top);
    setNum(each, WRAPPED, radius - num(each, ARRIVAL));
  }
  for (let child = get(region, CYCLE); child != 0; child = get(child, NEXT)) {
    setTop(child, top, radius + num(child, RADIUS));
  }
}

/** The region of a blossom's cycle that has the detection event. */
function childWith(blossom: usize, event: usize): usize {
  let region = get(event, REGION);
  while (get(region, BLOSSOM) != blossom) region = get(region, BLOSSOM);
  return region;
}

/** Lists the regions of a blossom's cycle, in order; returns the address after the last. */
function listChildren(blossom: usize, to: usize): usize {
  for (let child = get(blossom, CYCLE); child != 0; child = get(child, NEXT)) {
    store<u32>(to, <u32>child);
    to += 4;
  }
  return to;
}

/** Place of a region in a list. */
function placeIn(from: usize, region: usize): i32 {
  let place = 0;
  while (<usize>load<u32>(from + (<usize>place << 2)) != region) place++;
  return place;
}

// @ts-ignore: a decorator of this compiler
@inline
function itemAt(from: usize, place: i32): usize {
  return <usize>load<u32>(from + (<usize>place << 2));
}

// Growth. Each detector has at most one event in the queue that counts: when to look at it again, because a region may
// then go on from it, or arrive. It may be too early; the detector is then looked at later once more.

function nextMeeting(): i32 {
  for (let event = pop(); event != NOTHING; event = pop()) {
    const place = event & ~1;
    // The earliest event of a place counts: one that an earlier one has replaced is in the queue in vain.
    if (num(place, QUEUED) != now) continue;
    setNum(place, QUEUED, NEVER);
    const time = num(place, DUE);
    if (time != now) {
      if (time != NEVER) schedule(place, event, time);
      continue;
    }
    setNum(place, DUE, NEVER);
    const meeting = (event & 1) == 0 ? lookAt(place) : shrinkFurther(place);
    if (meeting != NO_MEETING) return meeting;
  }
  return NO_MEETING;
}

// @ts-ignore: a decorator of this compiler
@inline
function schedule(place: usize, event: usize, time: i32): void {
  setNum(place, DUE, time);
  if (time >= num(place, QUEUED)) return;
  setNum(place, QUEUED, time);
  push(time, event);
}

function grow(region: usize): void {
  change(region, 1);
  setNum(region, DUE, NEVER);
  reschedule(region);
}

function freeze(region: usize): void {
  const wasShrinking = num(region, GROWTH) < 0;
  change(region, 0);
  setNum(region, DUE, NEVER);
  // Others may now arrive where the region gave way. Where it grew, its events come too early, which does no harm.
  if (wasShrinking) reschedule(region);
}

function shrink(region: usize): void {
  change(region, -1);
  scheduleShrinking(region);
  unschedule(region);
}

/** Makes a blossom of listed regions, each with its link to the next one of the cycle. */
function wrap(from: usize, end: usize): usize {
  const blossom = addRegion(now);
  for (let at = end - 4; at >= from; at -= 4) {
    const region = <usize>load<u32>(at);
    change(region, 0);
    setNum(region, DUE, NEVER);
    set(region, BLOSSOM, blossom);
    set(region, NEXT, get(blossom, CYCLE));
    set(blossom, CYCLE, region);
    setTop(region, blossom, num(region, RADIUS));
  }
  reschedule(blossom);
  return blossom;
}

/** Looks anew for the next event of each detector of a region. */
function reschedule(region: usize): void {
  for (let each = get(region, LAST); each != 0; each = get(each, BEFORE)) rescheduleAt(each);
  for (let child = get(region, CYCLE); child != 0; child = get(child, NEXT)) reschedule(child);
}

function rescheduleAt(detector: usize): void {
  if (scheduleNext(detector) == NEVER) setNum(detector, DUE, NEVER);
}

/** No detector of a region has an event of its own: the region shrinks. */
function unschedule(region: usize): void {
  for (let each = get(region, LAST); each != 0; each = get(each, BEFORE)) setNum(each, DUE, NEVER);
  for (let child = get(region, CYCLE); child != 0; child = get(child, NEXT)) unschedule(child);
}

/** A region arrives at a detector from another one. */
function arrive(detector: usize, from: usize, edge: usize): void {
  const region = get(from, TOP);
  const radius = num(region, RADIUS) + num(region, GROWTH) * now;
  setNum(detector, ARRIVAL, radius);
  set(detector, SOURCE, get(from, SOURCE));
  set(detector, CROSSED, get(from, CROSSED) ^ get(edge, OBSERVABLES));
  cover(detector, region, -radius);
  rescheduleAt(detector);
}

function lookAt(detector: usize): i32 {
  while (scheduleNext(detector) == now) {
    // The detector is looked at once more now, as other edges may have an event at the same time.
    const edge = nextEdge;
    first = get(detector, TOP);
    if (edge == BOUNDARY) {
      second = 0;
      const onTheWay = get(detector, CROSSED) ^ get(detector, BOUNDARY_OBSERVABLES);
      setLink(link, get(detector, SOURCE), BOUNDARY, onTheWay);
      return AT_BOUNDARY;
    }
    const other = get(edge, OTHER);
    second = get(other, TOP);
    if (first == 0) {
      arrive(detector, other, edge);
      return NO_MEETING;
    }
    if (second != 0) {
      const onTheWay = get(detector, CROSSED) ^ get(other, CROSSED) ^ get(edge, OBSERVABLES);
      setLink(link, get(detector, SOURCE), get(other, SOURCE), onTheWay);
      return REGIONS_MEET;
    }
    arrive(other, detector, edge);
  }
  return NO_MEETING;
}

/** Puts a detector into the queue for its next time, which it returns. */
function scheduleNext(detector: usize): i32 {
  const time = nextTime(detector);
  if (time != NEVER) schedule(detector, detector, time);
  return time;
}

/** A shrinking region leaves the detector where it arrived last, or has nowhere left to leave. */
function shrinkFurther(region: usize): i32 {
  const detector = get(region, LAST);
  first = region;
  if (detector == 0) return SHRUNK;
  const before = get(detector, BEFORE);
  if (before == 0 && get(region, CYCLE) == 0) return IMPLODED;
  set(region, LAST, before);
  empty(detector);
  rescheduleAt(detector);
  scheduleShrinking(region);
  return NO_MEETING;
}

function scheduleShrinking(region: usize): void {
  const outermost = get(region, LAST);
  const wrapped = outermost == 0 ? 0 : num(outermost, WRAPPED);
  schedule(region, region | 1, num(region, RADIUS) + wrapped);
}

/**
 * When a region about the detector reaches a neighbour or the boundary, or one about a neighbour the detector; NEVER if
 * none does. Where several do at once, it is the first edge.
 */
function nextTime(detector: usize): i32 {
  const mine = get(detector, TOP);
  const around = num(mine, RADIUS) + num(detector, WRAPPED);
  const end = get(detector, EDGES_END);
  let earliest = NEVER;
  let found: usize = 0;
  if (num(mine, GROWTH) > 0) {
    const boundary = num(detector, BOUNDARY_WEIGHT);
    if (boundary != NEVER) {
      earliest = boundary - around;
      found = BOUNDARY;
    }
    for (let edge = get(detector, EDGES); edge < end; edge += EDGE) {
      const other = get(edge, OTHER);
      const theirs = get(other, TOP);
      let time = num(edge, WEIGHT) - around;
      if (theirs != 0) {
        if (theirs == mine) continue;
        const growing = num(theirs, GROWTH);
        if (growing < 0) continue;
        time = (time - num(theirs, RADIUS) - num(other, WRAPPED)) >> growing;
      }
      if (time < earliest) {
        earliest = time;
        found = edge;
      }
    }
  } else {
    for (let edge = get(detector, EDGES); edge < end; edge += EDGE) {
      const other = get(edge, OTHER);
      const theirs = get(other, TOP);
      if (num(theirs, GROWTH) <= 0) continue;
      const time = num(edge, WEIGHT) - around - num(theirs, RADIUS) - num(other, WRAPPED);
      if (time < earliest) {
        earliest = time;
        found = edge;
      }
    }
  }
  nextEdge = found;
  return earliest;
}

// Alternating trees.

/** A node without parent and children; `inner` is 0 for a root. */
function addNode(inner: usize, outer: usize): usize {
  let node = freeNode;
  if (node != 0) freeNode = get(node, SIBLING);
  else {
    node = nodesEnd;
    nodesEnd += RECORD;
  }
  set(node, INNER, inner);
  set(node, OUTER, outer);
  set(node, PARENT, 0);
  set(node, CHILD, 0);
  set(node, SEEN, 0);
  if (inner != 0) set(inner, TREE, node);
  set(outer, TREE, node);
  return node;
}

/** Takes a node away; its regions are in no tree. */
function removeNode(node: usize): void {
  set(get(node, INNER), TREE, 0);
  set(get(node, OUTER), TREE, 0);
  set(node, SIBLING, freeNode);
  freeNode = node;
}

/** Puts a node below another; the link between them is to be set. */
function attach(node: usize, parent: usize): void {
  const child = get(parent, CHILD);
  set(node, PARENT, parent);
  set(node, SIBLING, child);
  set(node, PREVIOUS, 0);
  if (child != 0) set(child, PREVIOUS, node);
  set(parent, CHILD, node);
}

/** Takes a node from its parent. */
function detach(node: usize): void {
  const previous = get(node, PREVIOUS);
  const sibling = get(node, SIBLING);
  if (previous != 0) set(previous, SIBLING, sibling);
  else set(get(node, PARENT), CHILD, sibling);
  if (sibling != 0) set(sibling, PREVIOUS, previous);
  set(node, PARENT, 0);
}

/** Turns the links on the way to the root, so that the node becomes the root. */
function becomeRoot(node: usize): void {
  let end = list;
  for (let each = node; each != 0; each = get(each, PARENT)) {
    store<u32>(end, <u32>each);
    end += 4;
  }
  for (let at = end - 8; at >= list; at -= 4) {
    const below = <usize>load<u32>(at);
    const root = <usize>load<u32>(at, 4);
    detach(below);
    const inner = get(below, INNER);
    set(root, INNER, inner);
    set(inner, TREE, root);
    copyLink(root + INNER_LINK, below + PARENT_LINK);
    copyLink(root + PARENT_LINK, below + INNER_LINK);
    set(below, INNER, 0);
    attach(root, below);
  }
}

/** The nearest node that is above both, or one of them; 0 if they are of different trees. */
function commonAncestor(node: usize, other: usize): usize {
  const search = ++searches;
  while (node != 0 || other != 0) {
    if (node != 0) {
      if (num(node, SEEN) == search) return node;
      setNum(node, SEEN, search);
      node = get(node, PARENT);
    }
    if (other != 0) {
      if (num(other, SEEN) == search) return other;
      setNum(other, SEEN, search);
      other = get(other, PARENT);
    }
  }
  return 0;
}

// Decisions.

function meet(region: usize, other: usize): void {
  const node = get(region, TREE);
  const theirs = get(other, TREE);
  if (node != 0 && theirs != 0) {
    const ancestor = commonAncestor(node, theirs);
    if (ancestor == 0) {
      pair(region, other, link);
      dissolve(node);
      dissolve(theirs);
    } else wrapCycle(node, theirs, ancestor);
  } else if (node != 0) meetMatched(region, other);
  else {
    copyReversed(link, link);
    meetMatched(other, region);
  }
}

/** An outer region meets one that is matched. */
function meetMatched(outer: usize, matched: usize): void {
  const mate = get(matched, MATCH);
  if (mate == 0) {
    pair(outer, matched, link);
    dissolve(get(outer, TREE));
    return;
  }
  const node = addNode(matched, mate);
  copyLink(node + INNER_LINK, matched + MATCH_LINK);
  copyReversed(node + PARENT_LINK, link);
  attach(node, get(outer, TREE));
  shrink(matched);
  grow(mate);
}

function meetBoundary(region: usize): void {
  set(region, MATCH, 0);
  copyLink(region + MATCH_LINK, link);
  dissolve(get(region, TREE));
}

/** The outer region of a node is matched; so all the others of the tree can be matched within it. */
function dissolve(node: usize): void {
  numTrees--;
  if (get(node, PARENT) == 0 && get(node, CHILD) == 0) {
    // So are most, and nothing is to be listed.
    freeze(get(node, OUTER));
    removeNode(node);
    return;
  }
  becomeRoot(node);
  // The node and all below it, parents first.
  store<u32>(list, <u32>node);
  let end = list + 4;
  for (let at = list; at < end; at += 4) {
    for (let child = get(load<u32>(at), CHILD); child != 0; child = get(child, SIBLING)) {
      store<u32>(end, <u32>child);
      end += 4;
    }
  }
  for (let at = list; at < end; at += 4) freeze(get(load<u32>(at), OUTER));
  for (let at = list; at < end; at += 4) {
    const each = <usize>load<u32>(at);
    const inner = get(each, INNER);
    if (inner != 0) {
      pair(inner, get(each, OUTER), each + INNER_LINK);
      freeze(inner);
    }
    removeNode(each);
  }
}

/** Takes a node that becomes part of a blossom from its tree, and lists its children; returns the end of that list. */
function prune(node: usize, end: usize): usize {
  detach(node);
  for (let child = get(node, CHILD); child != 0; child = get(child, SIBLING)) {
    store<u32>(end, <u32>child);
    end += 4;
  }
  removeNode(node);
  return end;
}

/** Two outer regions of a tree meet: those on the way between them are a cycle, which becomes an outer region. */
function wrapCycle(node: usize, other: usize, ancestor: usize): void {
  let end = list;
  let downEnd = list2;
  let childrenEnd = list3;
  // From the second region up to the ancestor, and down to the first.
  for (let each = other; each != ancestor; ) {
    const outer = get(each, OUTER);
    const inner = get(each, INNER);
    store<u32>(end, <u32>outer);
    store<u32>(end, <u32>inner, 4);
    end += 8;
    copyReversed(outer + CYCLE_LINK, each + INNER_LINK);
    copyLink(inner + CYCLE_LINK, each + PARENT_LINK);
    const parent = get(each, PARENT);
    childrenEnd = prune(each, childrenEnd);
    each = parent;
  }
  const meeting = get(node, OUTER);
  for (let each = node; each != ancestor; ) {
    const parent = get(each, PARENT);
    const inner = get(each, INNER);
    store<u32>(downEnd, <u32>get(each, OUTER));
    store<u32>(downEnd, <u32>inner, 4);
    downEnd += 8;
    copyLink(inner + CYCLE_LINK, each + INNER_LINK);
    copyReversed(get(parent, OUTER) + CYCLE_LINK, each + PARENT_LINK);
    childrenEnd = prune(each, childrenEnd);
    each = parent;
  }
  const top = get(ancestor, OUTER);
  store<u32>(end, <u32>top);
  end += 4;
  while (downEnd > list2) {
    downEnd -= 4;
    store<u32>(end, load<u32>(downEnd));
    end += 4;
  }
  copyLink(meeting + CYCLE_LINK, link);
  set(top, TREE, 0);
  const blossom = wrap(list, end);
  set(ancestor, OUTER, blossom);
  set(blossom, TREE, ancestor);
  for (let at = list3; at < childrenEnd; at += 4) {
    const child = <usize>load<u32>(at);
    attach(child, ancestor);
  }
}

/** An inner region has shrunk to its event: the outer ones about it meet there. */
function implode(inner: usize): void {
  const node = get(inner, TREE);
  const parentLink = node + PARENT_LINK;
  const innerLink = node + INNER_LINK;
  const between = get(parentLink, BETWEEN) ^ get(innerLink, BETWEEN);
  setLink(link, get(parentLink, TO), get(innerLink, TO), between);
  meet(get(get(node, PARENT), OUTER), get(node, OUTER));
}

/**
 * An inner blossom has shrunk to its cycle. The way of odd length between the region with the link to the parent and that
 * with the link to the child joins the tree; the other regions are matched to each other.
 */
function shatter(blossom: usize): void {
  const node = get(blossom, TREE);
  const size = <i32>((listChildren(blossom, list2) - list2) >> 2);
  const parentAt = placeIn(list2, childWith(blossom, get(node + PARENT_LINK, FROM)));
  const childAt = placeIn(list2, childWith(blossom, get(node + INNER_LINK, FROM)));
  for (let i = 0; i < size; i++) {
    const region = itemAt(list2, i);
    set(region, BLOSSOM, 0);
    setTop(region, region, 0);
  }
  const gap = (childAt + size - parentAt) % size;
  const isForward = gap % 2 == 0;
  const step = isForward ? 1 : size - 1;
  const length = isForward ? gap : size - gap;
  let above = get(node, PARENT);
  detach(node);
  copyLink(keptLink, node + PARENT_LINK);
  let place = parentAt;
  for (let i = 0; i < length; i += 2) {
    const inner = itemAt(list2, place);
    const outerAt = (place + step) % size;
    const outer = itemAt(list2, outerAt);
    const nextAt = (outerAt + step) % size;
    const added = addNode(inner, outer);
    copyLink(added + PARENT_LINK, keptLink);
    if (isForward) {
      copyLink(added + INNER_LINK, inner + CYCLE_LINK);
      copyReversed(keptLink, outer + CYCLE_LINK);
    } else {
      copyReversed(added + INNER_LINK, outer + CYCLE_LINK);
      copyLink(keptLink, itemAt(list2, nextAt) + CYCLE_LINK);
    }
    attach(added, above);
    shrink(inner);
    grow(outer);
    above = added;
    place = nextAt;
  }
  const child = itemAt(list2, childAt);
  set(node, INNER, child);
  set(child, TREE, node);
  copyLink(node + PARENT_LINK, keptLink);
  attach(node, above);
  shrink(child);
  const firstPair = isForward ? childAt : parentAt;
  for (let i = 1; i < size - length; i += 2) {
    const region = itemAt(list2, (firstPair + i) % size);
    const other = itemAt(list2, (firstPair + i + 1) % size);
    pair(region, other, region + CYCLE_LINK);
    // They shrank as part of the blossom; others may now arrive at them.
    reschedule(region);
    reschedule(other);
  }
  // A blossom that was taken apart is no more.
  setNum(blossom, DUE, NEVER);
  set(blossom, NEXT, freeRegion);
  freeRegion = blossom;
}

// Results.

/** Takes the match of a region, unless it was taken; returns the observables of all pairs in it. */
function taken(region: usize): i32 {
  const mate = get(region, MATCH);
  if (mate == TAKEN) return 0;
  set(region, MATCH, TAKEN);
  const by = region + MATCH_LINK;
  let observables = num(by, BETWEEN) ^ opened(region, get(by, FROM), list);
  if (mate != 0) {
    set(mate, MATCH, TAKEN);
    observables ^= opened(mate, get(by, TO), list);
  }
  return observables;
}

/**
 * Observables of the pairs within a region, of which one event is matched to another region.
 *
 * @param room - Where its regions are listed.
 */
function opened(region: usize, event: usize, room: usize): i32 {
  if (get(region, CYCLE) == 0) return 0;
  const end = listChildren(region, room);
  const size = <i32>((end - room) >> 2);
  const matched = childWith(region, event);
  const at = placeIn(room, matched);
  let observables = opened(matched, event, end);
  for (let i = 1; i < size; i += 2) {
    const child = itemAt(room, (at + i) % size);
    const other = itemAt(room, (at + i + 1) % size);
    const by = child + CYCLE_LINK;
    observables ^= num(by, BETWEEN);
    observables ^= opened(child, get(by, FROM), end);
    observables ^= opened(other, get(by, TO), end);
  }
  return observables;
}
