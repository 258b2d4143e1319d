//! A few words of many languages, so that a text can be in one of them.

/// By ISO 639-1: words of one sentence about the moon, the sea and the shore.
const LANGUAGE_SENTENCES: &[(&str, &str)] = &[
    (
        "af",
        "die maan trek elke dag die water van die see na die strand en dan gaan dit weer terug na die diepte",
    ),
    ("ar", "القمر يجذب ماء البحر نحو الشاطئ كل يوم ثم يعود الماء إلى الوراء في هدوء حتى المساء"),
    ("bg", "луната привлича водата на морето към брега всеки ден и после водата се връща обратно"),
    ("bn", "চাঁদ প্রতিদিন সমুদ্রের জল তীরের দিকে টানে এবং তারপর জল আবার ফিরে যায়"),
    (
        "ca",
        "la lluna atrau cada dia l'aigua del mar cap a la platja i després l'aigua torna enrere amb molta calma",
    ),
    (
        "cs",
        "měsíc každý den přitahuje vodu moře ke břehu a potom se voda zase vrací zpátky do hloubky",
    ),
    ("cy", "mae'r lleuad yn tynnu dŵr y môr at y lan bob dydd ac wedyn mae'r dŵr yn mynd yn ôl"),
    (
        "da",
        "månen trækker hver dag havets vand op mod kysten og bagefter løber vandet tilbage igen",
    ),
    (
        "de",
        "der Mond zieht jeden Tag das Wasser des Meeres an die Küste und danach fließt es wieder zurück",
    ),
    (
        "el",
        "το φεγγάρι τραβάει κάθε μέρα το νερό της θάλασσας προς την ακτή και μετά το νερό γυρίζει πίσω",
    ),
    (
        "es",
        "la luna atrae cada día el agua del mar hacia la playa y después el agua vuelve despacio hacia atrás",
    ),
    ("et", "kuu tõmbab iga päev mere vett ranna poole ja pärast läheb vesi jälle tagasi sügavale"),
    ("fa", "ماه هر روز آب دریا را به سوی ساحل می‌کشد و سپس آب دوباره آرام به عقب برمی‌گردد"),
    (
        "fi",
        "kuu vetää joka päivä meren vettä kohti rantaa ja sen jälkeen vesi palaa jälleen takaisin",
    ),
    (
        "fr",
        "la lune attire chaque jour les eaux de la mer vers la plage et ensuite elles retournent doucement au large",
    ),
    ("gu", "ચંદ્ર દરરોજ સમુદ્રના પાણીને કિનારા તરફ ખેંચે છે અને પછી પાણી ફરી પાછું જાય છે"),
    ("he", "הירח מושך בכל יום את מי הים אל החוף ואחר כך המים חוזרים שוב לאחור בשקט"),
    ("hi", "चाँद हर दिन समुद्र के पानी को किनारे की ओर खींचता है और फिर पानी वापस चला जाता है"),
    (
        "hr",
        "mjesec svaki dan privlači vodu mora prema obali, a zatim se voda ponovno vraća natrag u dubinu",
    ),
    (
        "hu",
        "a hold minden nap a part felé húzza a tenger vizét, és azután a víz megint visszamegy a mélybe",
    ),
    (
        "id",
        "bulan menarik air laut ke arah pantai setiap hari dan kemudian air itu kembali lagi dengan tenang",
    ),
    (
        "it",
        "la luna attira ogni giorno l'acqua del mare verso la spiaggia e poi l'acqua torna piano indietro",
    ),
    ("ja", "月は 毎日 海の 水を 岸の ほうへ 引き そして 水は また 静かに もどって いきます"),
    ("kn", "ಚಂದ್ರನು ಪ್ರತಿದಿನ ಸಮುದ್ರದ ನೀರನ್ನು ದಡದ ಕಡೆಗೆ ಎಳೆಯುತ್ತಾನೆ ಮತ್ತು ನಂತರ ನೀರು ಹಿಂತಿರುಗುತ್ತದೆ"),
    ("ko", "달은 매일 바다의 물을 해안 쪽으로 끌어당기고 그 다음에 물은 다시 조용히 돌아간다"),
    (
        "lt",
        "mėnulis kiekvieną dieną traukia jūros vandenį prie kranto, o paskui vanduo vėl grįžta atgal",
    ),
    ("lv", "mēness katru dienu velk jūras ūdeni uz krastu, un pēc tam ūdens atkal lēnām atgriežas"),
    (
        "mk",
        "месечината секој ден ја привлекува водата на морето кон брегот и потоа водата се враќа назад",
    ),
    ("ml", "ചന്ദ്രൻ എല്ലാ ദിവസവും കടലിലെ വെള്ളം തീരത്തേക്ക് വലിക്കുന്നു പിന്നീട് വെള്ളം തിരികെ പോകുന്നു"),
    ("mr", "चंद्र दररोज समुद्राचे पाणी किनाऱ्याकडे ओढतो आणि नंतर पाणी पुन्हा मागे जाते असे आहे"),
    ("ne", "चन्द्रमाले हरेक दिन समुद्रको पानीलाई किनारतिर तान्छ र त्यसपछि पानी फेरि फर्किन्छ"),
    (
        "nl",
        "de maan trekt elke dag het water van de zee naar het strand en daarna stroomt het weer terug",
    ),
    (
        "no",
        "månen trekker vannet i havet mot kysten hver dag og etterpå renner vannet tilbake igjen",
    ),
    ("pa", "ਚੰਦ ਹਰ ਰੋਜ਼ ਸਮੁੰਦਰ ਦੇ ਪਾਣੀ ਨੂੰ ਕੰਢੇ ਵੱਲ ਖਿੱਚਦਾ ਹੈ ਅਤੇ ਫਿਰ ਪਾਣੀ ਵਾਪਸ ਚਲਾ ਜਾਂਦਾ ਹੈ"),
    (
        "pl",
        "księżyc każdego dnia przyciąga wodę morza do brzegu, a potem woda znowu powoli wraca w głąb",
    ),
    (
        "pt",
        "a lua puxa todos os dias a água do mar para a praia e depois a água não fica, volta outra vez para trás",
    ),
    (
        "ro",
        "luna trage în fiecare zi apa mării spre țărm și apoi apa se întoarce din nou încet înapoi",
    ),
    (
        "ru",
        "луна каждый день притягивает воду моря к берегу, а потом вода снова медленно уходит назад",
    ),
    ("sk", "mesiac každý deň priťahuje vodu mora k brehu a potom sa voda opäť pomaly vracia späť"),
    (
        "sl",
        "luna vsak dan privlači vodo morja proti obali, potem pa se voda spet počasi vrača nazaj",
    ),
    (
        "so",
        "dayaxu maalin kasta wuxuu biyaha badda u soo jiidaa xeebta kadibna biyuhu dib ayay u noqdaan",
    ),
    (
        "sq",
        "hëna tërheq çdo ditë ujin e detit drejt bregut dhe pastaj uji kthehet përsëri ngadalë prapa",
    ),
    (
        "sv",
        "månen drar varje dag havets vatten mot kusten och efteråt rinner vattnet tillbaka igen",
    ),
    (
        "sw",
        "mwezi huvuta maji ya bahari kuelekea pwani kila siku na kisha maji hurudi tena nyuma polepole",
    ),
    ("ta", "நிலவு ஒவ்வொரு நாளும் கடல் நீரை கரையை நோக்கி இழுக்கிறது பின்னர் நீர் மீண்டும் திரும்பிச் செல்கிறது"),
    ("te", "చంద్రుడు ప్రతి రోజు సముద్రపు నీటిని తీరం వైపు లాగుతాడు తరువాత నీరు మళ్ళీ వెనక్కి వెళుతుంది"),
    ("th", "ดวงจันทร์ ดึง น้ำ ทะเล เข้า หา ฝั่ง ทุก วัน แล้ว น้ำ ก็ ไหล กลับ ไป อย่าง ช้า ๆ"),
    (
        "tl",
        "hinihila ng buwan ang tubig ng dagat papunta sa baybayin araw-araw at pagkatapos ay bumabalik ang tubig",
    ),
    ("tr", "ay her gün denizin suyunu kıyıya doğru çeker ve sonra su yine yavaşça geriye döner"),
    (
        "uk",
        "місяць щодня притягує воду моря до берега, а потім вода знову повільно відходить назад",
    ),
    ("ur", "چاند ہر روز سمندر کے پانی کو کنارے کی طرف کھینچتا ہے اور پھر پانی واپس چلا جاتا ہے"),
    ("vi", "mặt trăng kéo nước biển vào bờ mỗi ngày và sau đó nước lại từ từ rút ra ngoài khơi"),
    ("zh", "月亮 每天 把 海水 拉 向 岸边 然后 海水 又 慢慢 地 退 回去"),
];

/// The words of a language, in the order of a sentence.
pub(super) fn words(code: &str) -> Option<Vec<&'static str>> {
    let code = code.to_lowercase();
    let plain = code.split('-').next()?;
    let (_, sentence) = LANGUAGE_SENTENCES.iter().find(|(have, _)| *have == plain)?;
    Some(sentence.split(' ').map(|word| word.trim_end_matches(',')).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ifs_text::Text;

    #[test]
    fn explanations_match_their_checks() {
        let wrong_language = |(code, _): &&(&str, &str)| {
            let words = words(code).expect("one of them");
            let text = format!("{}. {}.", words.join(" "), words.join(" "));
            Text::new(&text).language().is(code) != Some(true)
        };
        let wrong: Vec<&str> =
            LANGUAGE_SENTENCES.iter().filter(wrong_language).map(|(code, _)| *code).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
        assert!(LANGUAGE_SENTENCES.is_sorted_by_key(|(code, _)| *code));
    }
}
