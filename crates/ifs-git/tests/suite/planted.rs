//! Repositories that are written without git, byte by byte.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use tempfile::TempDir;

pub struct Planted {
    pub folder: TempDir,
}

pub fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub fn hash(kind: &str, content: &[u8]) -> [u8; 20] {
    let object = [format!("{kind} {}\0", content.len()).as_bytes(), content].concat();
    digest(&SHA1_FOR_LEGACY_USE_ONLY, &object).as_ref().try_into().unwrap()
}

pub fn hex(id: [u8; 20]) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Planted {
    /// A repository with a commit of `main.ifs` that is checked out.
    pub fn new() -> Planted {
        let planted = Planted { folder: TempDir::new().unwrap() };
        planted.write("main.ifs", b"ifs 1\n");
        let blob = planted.object("blob", b"ifs 1\n");
        let tree = planted.tree(&[("100644", b"main.ifs", blob)]);
        planted.check_out(tree);
        planted
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// A pipe that nothing is written to, in place of what is there.
    pub fn pipe(&self, name: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        if path.is_dir() {
            fs::remove_dir_all(&path).unwrap();
        } else if path.exists() {
            fs::remove_file(&path).unwrap();
        }
        let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
        assert!(made.success());
    }

    pub fn object(&self, kind: &str, content: &[u8]) -> [u8; 20] {
        let id = hash(kind, content);
        let head = format!("{kind} {}\0", content.len());
        self.loose(id, &deflate(&[head.as_bytes(), content].concat()));
        id
    }

    /// A loose object of any bytes.
    pub fn loose(&self, id: [u8; 20], bytes: &[u8]) {
        let id = hex(id);
        self.write(&format!(".git/objects/{}/{}", &id[..2], &id[2..]), bytes);
    }

    pub fn tree(&self, entries: &[(&str, &[u8], [u8; 20])]) -> [u8; 20] {
        let mut tree = Vec::new();
        for (mode, name, id) in entries {
            tree.extend([mode.as_bytes(), b" ", name, b"\0", id].concat());
        }
        self.object("tree", &tree)
    }

    pub fn check_out(&self, tree: [u8; 20]) -> [u8; 20] {
        let text = format!("tree {}\nauthor a <a> 1 +0000\n\nOne\n", hex(tree));
        let commit = self.object("commit", text.as_bytes());
        self.write(".git/refs/heads/main", format!("{}\n", hex(commit)).as_bytes());
        self.write(".git/HEAD", b"ref: refs/heads/main\n");
        commit
    }

    /// A pack of these entries in this order.
    pub fn pack(&self, entries: &[Packed]) {
        let mut data = [b"PACK\0\0\0\x02", &(entries.len() as u32).to_be_bytes()[..]].concat();
        let mut places = Vec::new();
        for entry in entries {
            places.push((entry.id, data.len() as u32));
            let mut size = entry.size;
            let mut byte = entry.form << 4 | (size & 15) as u8;
            size >>= 4;
            while size > 0 {
                data.push(byte | 0x80);
                byte = (size & 0x7f) as u8;
                size >>= 7;
            }
            data.push(byte);
            data.extend(&entry.base);
            data.extend(&entry.data);
        }
        places.sort();
        let mut index = b"\xfftOc\0\0\0\x02".to_vec();
        for first in 0..=255_u8 {
            let count = places.iter().filter(|(id, _)| id[0] <= first).count() as u32;
            index.extend(count.to_be_bytes());
        }
        places.iter().for_each(|(id, _)| index.extend(id));
        places.iter().for_each(|_| index.extend([0; 4]));
        places.iter().for_each(|(_, place)| index.extend(place.to_be_bytes()));
        index.extend([0; 40]);
        data.extend([0; 20]);
        self.write(".git/objects/pack/pack-1.pack", &data);
        self.write(".git/objects/pack/pack-1.idx", &index);
    }
}

/// An entry of a pack, whatever it claims.
pub struct Packed {
    pub id: [u8; 20],
    pub form: u8,
    pub size: u64,
    pub base: Vec<u8>,
    pub data: Vec<u8>,
}

impl Packed {
    pub fn complete(kind: &str, content: &[u8]) -> Packed {
        let form = ["", "commit", "tree", "blob", "tag"].iter().position(|it| *it == kind);
        let (id, size, data) = (hash(kind, content), content.len() as u64, deflate(content));
        Packed { id, form: form.unwrap() as u8, size, base: Vec::new(), data }
    }

    /// A change to the object with another id.
    pub fn change(id: [u8; 20], base: [u8; 20], steps: &[u8]) -> Packed {
        let (size, data) = (steps.len() as u64, deflate(steps));
        Packed { id, form: 7, size, base: base.to_vec(), data }
    }
}

/// A size as it is at the beginning of a change.
pub fn varint(mut size: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while size > 0x7f {
        bytes.push(0x80 | (size & 0x7f) as u8);
        size >>= 7;
    }
    bytes.push(size as u8);
    bytes
}
