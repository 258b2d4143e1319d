//! Invented teams and players. Any resemblance of names is coincidental.

use std::sync::Arc;

use super::random_stream::RandomStream;
use crate::table::Team;

/// Two teams with this many players each, all with different family names.
pub fn teams(players: usize, chinese: bool, random: &mut RandomStream) -> Vec<Team> {
    if chinese { in_chinese(players, random) } else { in_english(players, random) }
}

fn in_english(players: usize, random: &mut RandomStream) -> Vec<Team> {
    let (towns, beasts) = (random.several(&TOWNS, 2), random.several(&TEAM_NAMES, 2));
    let families = random.several(&FAMILY_NAMES, 2 * players);
    let mut families = families.into_iter();
    let team = |(town, beast): (&str, &str)| {
        let names = families.by_ref().take(players).map(|family| {
            let first = random.pick(&FIRST_NAMES);
            let suffix = match random.integer_below(40) {
                0 => " Jr.",
                1 => " III",
                _ => "",
            };
            Arc::from(format!("{first} {family}{suffix}"))
        });
        Team {
            players: names.collect(),
            name: Arc::from(format!("{town} {beast}")),
            short: Arc::from(beast),
            tricode: Arc::from(
                town.chars()
                    .filter(|sign| sign.is_alphabetic())
                    .take(3)
                    .collect::<String>()
                    .to_uppercase(),
            ),
            ..Team::default()
        }
    };
    towns.into_iter().zip(beasts).map(team).collect()
}

fn in_chinese(players: usize, random: &mut RandomStream) -> Vec<Team> {
    let beasts = random.several(&TEAM_NAMES_ZH, 2);
    let families = random.several(&FAMILY_NAMES_ZH, 2 * players);
    let mut families = families.into_iter();
    let team = |beast: &str| {
        let names = families.by_ref().take(players);
        let names =
            names.map(|family| Arc::from(format!("{}-{family}", random.pick(&FIRST_NAMES_ZH))));
        Team {
            players: names.collect(),
            name: Arc::from(beast),
            short: Arc::from(beast),
            ..Team::default()
        }
    };
    beasts.into_iter().map(team).collect()
}

const TOWNS: [&str; 32] = [
    "Amberley",
    "Birchmont",
    "Brackwater",
    "Calder Falls",
    "Copperhill",
    "Dunmore",
    "Eastvale",
    "Fairhaven Bay",
    "Glenrock",
    "Greywick",
    "Harrow Point",
    "Hollis",
    "Ironbridge",
    "Juniper City",
    "Kingsford",
    "Lakemere",
    "Larkfield",
    "Marlow",
    "Millbrook",
    "Northport",
    "Oakhurst",
    "Pinecrest",
    "Quarry Bay",
    "Redcliff",
    "Saltmarsh",
    "Silverton",
    "Stonegate",
    "Thornbury",
    "Vale City",
    "Westmoor",
    "Windermoor",
    "Yarrow",
];

const TEAM_NAMES: [&str; 32] = [
    "Anvils",
    "Badgers",
    "Beacons",
    "Cormorants",
    "Cranes",
    "Drifters",
    "Embers",
    "Falconers",
    "Ferrymen",
    "Foxgloves",
    "Gales",
    "Gulls",
    "Harriers",
    "Herons",
    "Ibexes",
    "Kestrels",
    "Lanterns",
    "Lynxes",
    "Masons",
    "Millers",
    "Minnows",
    "Otters",
    "Pilots",
    "Plovers",
    "Quarrymen",
    "Ravelins",
    "Sparrows",
    "Sturgeons",
    "Tides",
    "Voles",
    "Weavers",
    "Wrens",
];

const FIRST_NAMES: [&str; 48] = [
    "Abel", "Ade", "Amir", "Anders", "Arlo", "Bastian", "Bram", "Caleb", "Cassius", "Cyril",
    "Dario", "De'Ron", "Desmond", "Eero", "Elias", "Emeka", "Enzo", "Ezra", "Felix", "Gideon",
    "Hugo", "Idris", "Ivo", "Ja'Mir", "Jonas", "Joel", "Kaspar", "Kel'Von", "Kofi", "Lars",
    "Leander", "Luca", "Malachi", "Matteo", "Miles", "Nico", "Omar", "Oskar", "Pavel", "Quentin",
    "Rafael", "Rune", "Silas", "Tariq", "Theo", "Viktor", "Wendell", "Zane",
];

const FAMILY_NAMES: [&str; 96] = [
    "Abara",
    "Ackland",
    "Adeyle",
    "Albrecht-Noor",
    "Amsel",
    "Ashgrove",
    "Baptist",
    "Barlow",
    "Beaumont",
    "Bellweather",
    "Birk",
    "Blackwood",
    "Bojan",
    "Brandt",
    "Brightwell",
    "Calloway",
    "Castell",
    "Chevron",
    "Colborne",
    "Corvin",
    "Crane",
    "Dalgaard",
    "Danso",
    "Delacour",
    "Denholm",
    "Diallo",
    "Drummond",
    "Eastman",
    "Ekholm",
    "Elmore",
    "Ellery-Voss",
    "Fairbank",
    "Falk",
    "Fenwick",
    "Fontaine",
    "Forde",
    "Galloway",
    "Garrick",
    "Gentry",
    "Goldsby",
    "Greaves",
    "Hadley",
    "Halvorsen",
    "Harker",
    "Hatch",
    "Hawthorne",
    "Holloway",
    "Ibarra",
    "Ingram-Lowe",
    "Jarvis",
    "Jessup",
    "Kallas",
    "Kessel",
    "Kimball",
    "Kovar",
    "Lachlan",
    "Langley",
    "Leclair",
    "Lindqvist",
    "Lockhart",
    "Maddox",
    "Marchetti",
    "Mbeki-Lund",
    "Mercer",
    "Montrose",
    "Nakata",
    "Navarre",
    "Norwood",
    "Obando",
    "Okonjo",
    "Ormond",
    "Paxton",
    "Penrose",
    "Pike",
    "Quade",
    "Quimby",
    "Radcliff",
    "Renner",
    "Rosberg",
    "Rutledge",
    "Sandoval",
    "Selby",
    "Sorensen",
    "Stavros",
    "Talbot",
    "Thackeray",
    "Trent",
    "Underhill",
    "Vance",
    "Vasquez-Hale",
    "Verhoeven",
    "Wakefield",
    "Whitlock",
    "Yardley",
    "Zamora",
    "Zeller",
];

const TEAM_NAMES_ZH: [&str; 24] = [
    "山狐", "海燕", "雷鸟", "金雕", "雪豹", "白鹭", "铁匠", "灯塔", "飞鱼", "云雀", "赤狼", "苍鹰",
    "雨燕", "麋鹿", "旅人", "船长", "银鲨", "风车", "火石", "夜莺", "石匠", "红杉", "潮汐", "北辰",
];

const FIRST_NAMES_ZH: [&str; 40] = [
    "阿贝尔",
    "阿米尔",
    "安德斯",
    "阿洛",
    "布拉姆",
    "卡勒布",
    "西里尔",
    "达里奥",
    "德隆",
    "埃罗",
    "埃梅卡",
    "恩佐",
    "埃兹拉",
    "吉迪恩",
    "雨果",
    "伊德里",
    "伊沃",
    "贾米尔",
    "约纳",
    "卡斯帕",
    "科菲",
    "拉斯",
    "莱安德",
    "卢卡",
    "马拉奇",
    "马泰奥",
    "尼科",
    "奥斯卡",
    "帕维尔",
    "昆廷",
    "鲁内",
    "塞拉斯",
    "塔里克",
    "西奥",
    "维克托",
    "温德",
    "赞恩",
    "迈洛",
    "哈坎",
    "约里克",
];

const FAMILY_NAMES_ZH: [&str; 64] = [
    "阿巴拉",
    "阿克兰",
    "安塞尔",
    "巴洛",
    "博蒙",
    "比尔克",
    "博扬",
    "布兰特",
    "卡洛韦",
    "卡斯特",
    "科尔本",
    "科文",
    "克雷恩",
    "达尔高",
    "丹索",
    "德拉库",
    "登霍姆",
    "迪亚洛",
    "埃克霍",
    "埃尔莫",
    "费尔班",
    "法尔克",
    "芬威克",
    "丰坦",
    "加洛韦",
    "加里克",
    "金特里",
    "戈兹比",
    "格里夫",
    "哈德利",
    "哈克",
    "哈奇",
    "霍洛韦",
    "伊瓦拉",
    "贾维",
    "杰萨普",
    "卡拉斯",
    "凯瑟尔",
    "金博尔",
    "科瓦尔",
    "拉克兰",
    "兰利",
    "莱克莱",
    "洛克哈",
    "马多克",
    "马尔凯",
    "默瑟",
    "蒙特罗",
    "中田",
    "纳瓦尔",
    "诺伍德",
    "奥班多",
    "奥孔乔",
    "奥蒙德",
    "帕克顿",
    "彭罗斯",
    "派克",
    "奎德",
    "拉德克",
    "伦纳",
    "罗斯伯",
    "拉特利",
    "桑多",
    "泽勒",
];
